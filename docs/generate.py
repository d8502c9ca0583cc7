"""Writes what is made from code: ``docs/events.md``, ``docs/settings.md`` and ``docs/openapi`` (``make docs``).

A test holds them equal to what this writes.
"""

import inspect
import json
import tempfile
from functools import partial
from importlib import import_module
from pathlib import Path

from pydantic_core import PydanticUndefined

from pitstream.cli.credentials import employ_staff
from pitstream.events import Event, event_types
from pitstream.runtime import ServiceSettings

SERVICES = ("table", "settlement", "progressive", "wallet")
HERE = Path(__file__).parent


def settings_of(service: str) -> type[ServiceSettings]:
    """The settings class of a service: the one that its ``config`` module defines."""
    module = import_module(f"pitstream.services.{service}.config")
    (found,) = (
        member
        for _, member in inspect.getmembers(module, inspect.isclass)
        if issubclass(member, ServiceSettings) and member is not ServiceSettings
    )
    return found


def events_page() -> str:
    lines = [
        "# Events",
        "",
        "Every event of the contract, by topic. `proto/` is its definition; field comments stand there. Each record's",
        "value is a `pitstream.envelope.v1.Envelope`: its `payload` is the event, its `type` the name below.",
    ]
    topics: dict[str, list[type[Event]]] = {}
    for event in event_types().values():
        topics.setdefault(event.topic, []).append(event)
    for topic, events in sorted(topics.items()):
        lines += ["", f"## {topic}", "", "| event | what happened | fields |", "| --- | --- | --- |"]
        # By name: whoever imported which module first must not show in the page.
        for event in sorted(events, key=lambda event: event.type_name):
            what = _prose(inspect.cleandoc(event.__doc__ or ""))
            fields = ", ".join(f"`{name}`" for name in event.model_fields)
            lines.append(f"| `{event.type_name}` | {what} | {fields} |")
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "Each service reads environment variables. The two addresses are shared; everything else has the service's own",
        "prefix, for example `PITSTREAM_TABLE_PORT`. A wrong value stops the service at start, with every fault named.",
        "OpenTelemetry is set by its standard variables: `OTEL_EXPORTER_OTLP_ENDPOINT` turns the traces on.",
        "",
        "| variable | default | meaning |",
        "| --- | --- | --- |",
    ]
    for name, field in ServiceSettings.model_fields.items():
        variable = f"PITSTREAM_{name.upper()}" if field.validation_alias else f"PITSTREAM_<SERVICE>_{name.upper()}"
        default = "required" if field.default is PydanticUndefined else f"`{field.default}`"
        if name == "port":
            default = ", ".join(
                f"{service} `{settings_of(service).model_fields['port'].default}`" for service in SERVICES
            )
        lines.append(f"| `{variable}` | {default} | {_prose(field.description or '')} |")
    for variable, (meaning, readers) in sorted(_own_settings().items()):
        lines.append(f"| `{variable}` | none; read by {' and '.join(readers)} | {_prose(meaning)} |")
    return "\n".join(lines) + "\n"


def _own_settings() -> dict[str, tuple[str, list[str]]]:
    """Variable -> meaning and services, of the settings that some services have beyond those of every service."""
    found: dict[str, tuple[str, list[str]]] = {}
    for service in SERVICES:
        for name, field in settings_of(service).model_fields.items():
            if name not in ServiceSettings.model_fields:
                variable = (
                    f"PITSTREAM_{name.upper()}" if field.validation_alias else f"PITSTREAM_{service}_{name}".upper()
                )
                found.setdefault(variable, (field.description or "", []))[1].append(service)
    return found


def _prose(docstring: str) -> str:
    return " ".join(docstring.split()).replace("``", "`")


def openapi_document(service: str) -> str:
    """What the service answers on ``/openapi.json``. It runs nowhere for this: no address here is ever asked."""
    with tempfile.TemporaryDirectory() as home:
        settings = settings_of(service)(kafka="nowhere", postgres="nowhere", access=employ_staff(Path(home)))
        app = import_module(f"pitstream.services.{service}.app").build(settings).app
    return json.dumps(app.openapi(), indent=1, ensure_ascii=False) + "\n"


PAGES = {
    "events.md": events_page,
    "settings.md": settings_page,
    **{f"openapi/{service}.json": partial(openapi_document, service) for service in SERVICES},
}

if __name__ == "__main__":
    (HERE / "openapi").mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
