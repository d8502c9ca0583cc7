"""A statement as a person sees it. Method: real Chromium lays the page out, prints it, and runs our advice."""

import json
import re
import struct
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pitstream.services.wallet.platform.page import statement_page
from pitstream.services.wallet.platform.views import StatementLine, StatementView

pytestmark = pytest.mark.browser

BIG = 2**53 + 1
BEGAN = datetime(2026, 1, 2, 19, 3, 4, tzinfo=UTC)


def statement(lines: int) -> StatementView:
    """A deposit of 2^53 + 1, whose code would like to be a tag, and then many small ones."""
    amounts = [BIG] + [1] * (lines - 1)
    return StatementView(
        account="player/acme:p001/USD",
        currency="USD",
        scale=2,
        since=None,
        until=datetime(2026, 2, 1, tzinfo=UTC),
        opening_balance=-5,
        closing_balance=sum(amounts) - 5,
        lines=[
            StatementLine(
                transfer_id=f"t{n}",
                at=BEGAN + timedelta(minutes=n),
                code="deposit" if n else "<script>alert(1)</script>",
                counter_account="operator/acme/07/USD",
                amount=amount,
                balance=sum(amounts[: n + 1]) - 5,
            )
            for n, amount in enumerate(amounts)
        ],
        next=None,
    )


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "statement.html"
    file.write_text(statement_page(statement(61)), encoding="utf-8")
    return file


def cells(dom: str, row: str) -> list[str]:
    (found,) = re.findall(rf'<tr id="{row}">(.*?)</tr>', dom, flags=re.DOTALL)
    return [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", found, flags=re.DOTALL)]


def test_every_digit_of_a_large_amount_is_on_the_page(chromium: Callable[..., str], as_url, page: Path) -> None:
    dom = chromium("--dump-dom", as_url(page))
    assert cells(dom, "t-t0") == [
        "2026-01-02 19:03:04", "&lt;script&gt;alert(1)&lt;/script&gt;", "operator/acme/07/USD",
        "+90,071,992,547,409.93", "90,071,992,547,409.88",
    ]  # fmt: skip
    assert cells(dom, "t-t60")[-1] == "90,071,992,547,410.48"
    assert re.findall(r"<(?:script|link|img|iframe)\b", dom) == [], "nothing runs, and nothing is loaded"


def test_it_prints_on_few_sheets(chromium: Callable[..., str], as_url, page: Path, tmp_path: Path) -> None:
    paper = tmp_path / "statement.pdf"
    chromium(f"--print-to-pdf={paper}", "--no-pdf-header-footer", as_url(page))
    sheets = re.search(rb"/Type /Pages.*?/Count (\d+)", paper.read_bytes(), flags=re.DOTALL)
    assert sheets is not None
    assert 2 <= int(sheets[1]) <= 3


@pytest.mark.parametrize(
    ("scheme", "is_dark"), [pytest.param("1", False, id="light"), pytest.param("0", True, id="dark")]
)
def test_it_follows_the_reader_s_light_or_dark(
    chromium: Callable[..., str], as_url, page: Path, tmp_path: Path, scheme: str, is_dark: bool
) -> None:
    picture = tmp_path / "statement.png"
    chromium(
        f"--blink-settings=preferredColorScheme={scheme}", "--window-size=600,400", f"--screenshot={picture}",
        as_url(page),
    )  # fmt: skip
    assert (max(first_pixel(picture.read_bytes())) < 64) is is_dark


def first_pixel(png: bytes) -> bytes:
    """Red, green and blue of the upper left corner, which no filter of PNG's touches."""
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    return zlib.decompress(data)[1:4]


def test_javascript_reads_amounts_as_we_advise(chromium: Callable[..., str], as_url, tmp_path: Path) -> None:
    """``JSON.parse`` alone is a cent off; with the text of each number it is exact."""
    text = json.dumps({"balance": BIG, "account": "player/acme:p001/USD"})
    file = tmp_path / "amounts.html"
    file.write_text(
        f"""<!doctype html><title>amounts</title><body><script>
        const text = {json.dumps(text)}
        const exact = JSON.parse(
          text, (key, value, {{source}}) => Number.isInteger(value) ? BigInt(source) : value)
        document.body.textContent = `${{JSON.parse(text).balance}} ${{exact.balance}} ${{exact.account}}`
        </script></body>"""
    )
    assert "<body>9007199254740992 9007199254740993 player/acme:p001/USD</body>" in chromium("--dump-dom", as_url(file))
