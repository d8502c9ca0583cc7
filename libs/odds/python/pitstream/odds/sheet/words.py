"""Tables and names of the sheet's page."""

from collections.abc import Iterable, Sequence
from html import escape


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, text: Sequence[int] = ()) -> str:
    """Cells are HTML already; ``text``: columns beside the first that hold words."""

    def cells(tag: str, row: Sequence[str]) -> str:
        kinds = (' class="text"' if at in text else "" for at in range(len(row)))
        return "".join(f"<{tag}{kind}>{cell}</{tag}>" for cell, kind in zip(row, kinds, strict=True))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{cells("th", heads)}</tr></thead><tbody>{body}</tbody></table></div>'


def figure(picture: str, caption: str) -> str:
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>" if picture else ""


def name(word: str) -> str:
    """
    >>> name("three_of_a_kind")
    'three of a kind'
    """
    return word.replace("_", " ")
