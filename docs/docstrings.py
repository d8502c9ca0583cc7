"""Lets the reference show a docstring's examples as what they are: blocks of Python, not quotations."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", flags=re.MULTILINE | re.DOTALL)
LITERAL = re.compile(r" ?::\n\n((?:    .*(?:\n|\Z)|\n)+)")


def as_markdown(text: str) -> str:
    """Literal blocks and interpreter's examples as fenced code. An example ends at an empty line."""

    def block(found: re.Match[str]) -> str:
        lines = [line.removeprefix("    ") for line in found[1].rstrip().splitlines()]
        return "\n\n```python\n" + "\n".join(lines) + "\n```\n\n"

    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", LITERAL.sub(block, text))


class Examples(griffe.Extension):
    """Every docstring that is loaded, as Markdown."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
