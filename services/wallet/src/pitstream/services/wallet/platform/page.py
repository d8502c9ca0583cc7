"""A statement as a document: one self-contained HTML page for the screen, light or dark, and for paper."""

from datetime import datetime
from html import escape

from pitstream.services.wallet.platform.views import StatementLine, StatementView


def statement_page(statement: StatementView) -> str:
    """The page. Everything in it is text of the ledger; nothing is loaded from anywhere."""
    lines = statement.lines
    before = lines[0].balance - lines[0].amount if lines else statement.opening_balance
    first = before == statement.opening_balance
    began = statement.since and _time(statement.since)
    onward = ""
    if statement.next:
        link = escape(f"?after={statement.next}&limit={len(lines)}")
        onward = f'<p class="next"><a href="{link}" rel="next">Next page</a></p>'
    end, standing = (
        ("Carried to the next page", lines[-1].balance)
        if statement.next
        else (
            "Closing balance",
            statement.closing_balance,
        )
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Statement of {escape(statement.account)}</title>
<style>{_STYLE}</style>
</head>
<body>
<header>
<h1>Statement</h1>
<dl>
<dt>Account</dt><dd>{_name(statement.account)}</dd>
<dt>Period</dt><dd>{began or "from its first transfer"} to {_time(statement.until)}</dd>
<dt>Opening balance</dt><dd>{money(statement.opening_balance, statement.scale)} {escape(statement.currency)}</dd>
<dt>Closing balance</dt><dd>{money(statement.closing_balance, statement.scale)} {escape(statement.currency)}</dd>
</dl>
</header>
<main>
<table>
<thead>
<tr><th>Time (UTC)</th><th>For</th><th>From or to</th><th class="n">Amount</th>
<th class="n">Balance, {escape(statement.currency)}</th></tr>
</thead>
<tbody>
<tr class="sum"><td colspan="4">{"Opening balance" if first else "Brought forward"}</td>{_cell(before, statement)}</tr>
{chr(10).join(_line(line, statement.scale) for line in lines)}
<tr class="sum"><td colspan="4">{end}</td>{_cell(standing, statement)}</tr>
</tbody>
</table>
</main>
{onward}
</body>
</html>
"""


def money(amount: int, scale: int) -> str:
    """Minor units for a person's eyes, exact at any size; a true minus sign, thin groups of thousands.

    >>> money(9007199254740993, 2), money(-5, 2), money(1500, 0), money(1, 8)
    ('90,071,992,547,409.93', '−0.05', '1,500', '0.00000001')
    """
    whole, part = divmod(abs(amount), 10**scale)
    digits = f"{whole:,}" + (f".{part:0{scale}}" if scale else "")
    return f"−{digits}" if amount < 0 else digits


def _line(line: StatementLine, scale: int) -> str:
    return (
        f'<tr id="t-{escape(line.transfer_id)}"><td>{_time(line.at)}</td><td>{escape(line.code.replace("_", " "))}</td>'
        f"<td>{_name(line.counter_account)}</td>"
        f'<td class="n">{"+" if line.amount > 0 else ""}{money(line.amount, scale)}</td>'
        f'<td class="n">{money(line.balance, scale)}</td></tr>'
    )


def _name(account: str) -> str:
    """An account's name, which may go on in the next line after each of its parts."""
    return escape(account).replace("/", "/<wbr>").replace(":", ":<wbr>")


def _cell(amount: int, statement: StatementView) -> str:
    return f'<td class="n">{money(amount, statement.scale)}</td>'


def _time(moment: datetime) -> str:
    return f'<time datetime="{moment.isoformat()}">{moment:%Y-%m-%d %H:%M:%S}</time>'


_STYLE = """
:root { color-scheme: light dark; --ink: #1b1d21; --soft: #5d6470; --rule: #d8dce2; --page: #fff; --band: #f5f6f8 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #9aa3b0; --rule: #363b44; --page: #17191d; --band: #1f2228 }
}
* { box-sizing: border-box }
body { margin: 2rem auto; max-width: 64rem; padding: 0 1.25rem; background: var(--page); color: var(--ink);
       font: 15px/1.45 system-ui, "Segoe UI", Helvetica, Arial, sans-serif }
h1 { font-size: 1.5rem; margin: 0 0 .75rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 0 1.5rem }
dt { color: var(--soft) }
dd { margin: 0; font-variant-numeric: tabular-nums }
table { border-collapse: collapse; width: 100% }
th { text-align: left; color: var(--soft); font-weight: 600; font-size: .85rem; border-bottom: 2px solid var(--rule) }
th, td { padding: .35rem .6rem; vertical-align: top }
td { border-bottom: 1px solid var(--rule) }
main { overflow-x: auto }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
td:first-child, td:nth-child(2) { white-space: nowrap }
tr.sum td { background: var(--band); font-weight: 600 }
.next { text-align: right }
a { color: inherit }
@media print {
  @page { margin: 18mm 14mm }
  :root { --ink: #000; --soft: #444; --rule: #bbb; --page: #fff; --band: #f2f2f2 }
  body { margin: 0; padding: 0; max-width: none; font-size: 8.5pt; line-height: 1.3 }
  th, td { padding: .15rem .4rem }
  main { overflow: visible }
  thead { display: table-header-group }
  tr { break-inside: avoid }
  .next { display: none }
}
"""
