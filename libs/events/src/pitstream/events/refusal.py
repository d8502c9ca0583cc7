"""An expected "no": a value with a stable code, never an exception."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """A command that may not be carried out.

    ``code`` never changes and is listed in ``docs/errors.md``; ``field`` names the command's field; ``message`` says
    what was found and what is allowed.
    """

    code: str
    field: str
    message: str
