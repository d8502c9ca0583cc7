"""A told round as one self-contained page: nothing is fetched, and it prints."""

from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import BaseLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pitstream.story.drawn import card_svg, card_symbols, card_use
from pitstream.story.telling import Telling
from pitstream.story.words import money, signed, since, when

_ASSETS: Final = files("pitstream.story") / "assets"


def theme_css() -> str:
    """The tokens of every page: colours for light, dark and print, type, space, and the cards' colours."""
    return _asset("theme.css")


def parts_css() -> str:
    """What the parts of a told round look like, made of the tokens."""
    return _asset("parts.css")


def loader() -> BaseLoader:
    """Finds ``story/parts.html``, whose macros draw a felt, steps, a settlement, a rack, postings and the proof."""
    return PackageLoader("pitstream.story", "templates")


def teach(environment: Environment) -> None:
    """Give an environment the filters that the parts use: ``card``, ``money``, ``signed``, ``when``, ``since``."""
    environment.filters.update(card=card_svg, money=money, signed=signed, when=when, since=since)


def page(telling: Telling) -> str:
    """The page as HTML. The same telling always makes the same text."""
    return (
        _environment()
        .get_template("story/page.html")
        .render(
            telling=telling,
            symbols=card_symbols(telling.cards),
            # Our own files, not text from anywhere else.
            style=Markup("\n".join(map(_asset, ("theme.css", "parts.css", "page.css")))),  # noqa: S704
            script=Markup(_asset("page.js")),  # noqa: S704
        )
    )


@cache
def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=loader(), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    teach(environment)
    environment.filters["card"] = card_use
    return environment
