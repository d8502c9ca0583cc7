"""Writes what is made from code (``make docs``): events, settings, metrics, topics as AsyncAPI, services as OpenAPI.

A test holds them equal to what this writes.
"""

import inspect
import json
import re
import runpy
import tempfile
from functools import partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from pydantic_core import PydanticUndefined
from typer.main import get_command

from pitstream.cli.credentials import employ_staff
from pitstream.cli.main import app
from pitstream.events import Event, event_types
from pitstream.runtime import Service, ServiceSettings
from pitstream.runtime.asyncapi import document
from pitstream.runtime.kafka_security import KafkaSecurity
from pitstream.runtime.telemetry import Metric

SERVICES = ("table", "settlement", "progressive", "wallet", "ops")
HERE = Path(__file__).parent
ROOT = HERE.parent


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
        "Each service reads environment variables. How Kafka and PostgreSQL are reached, and who may call, is the same",
        "for all; everything else has the service's own prefix, such as `PITSTREAM_TABLE_PORT`. A wrong value stops",
        "the service at start, with every fault named.",
        "OpenTelemetry is set by its standard variables: `OTEL_EXPORTER_OTLP_ENDPOINT` turns the traces on, and",
        "`OTEL_METRICS_EXPORTER` says where metrics go ([`telemetry.md`](telemetry.md)).",
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
        if name == "kafka":
            # Whoever opens a client of Kafka reads these, the command `pitstream` too.
            for option, told in KafkaSecurity.model_fields.items():
                default = f"`{told.default}`" if told.default else "none"
                lines.append(f"| `PITSTREAM_KAFKA_{option.upper()}` | {default} | {_prose(told.description or '')} |")
    for variable, (meaning, readers) in sorted(_own_settings().items()):
        lines.append(f"| `{variable}` | none; read by {' and '.join(readers)} | {_prose(meaning)} |")
    for title, told, listed in (
        (
            "The command `pitstream`",
            "The addresses, Kafka's options and the services' URLs are those above.",
            _of_command(),
        ),
        (
            "docker-compose.yml",
            "Read by Compose, beside the addresses above. A `_PORT` is where this machine listens.",
            _of_compose(),
        ),
        ("Work on the project", "Read by tests and `make`.", OF_TESTS),
    ):
        lines += ["", f"## {title}", "", told, "", "| variable | meaning |", "| --- | --- |"]
        lines += [f"| `{variable}` | {_prose(meaning)} |" for variable, meaning in sorted(listed.items())]
    return "\n".join(lines) + "\n"


OF_KEYS = {
    "PITSTREAM_KEY": "The one key with which the command asks the services.",
    "PITSTREAM_KEYS": "A JSON file, role to key: the command asks in each role with its own.",
}
OF_TESTS = {
    "PITSTREAM_CHAOS_MINUTES": "How long `make chaos` goes on.",
    "PITSTREAM_CHAOS_RECOVERY_S": "Seconds in which `make chaos` wants everything healed.",
    "PITSTREAM_CHAOS_SEED": "What the faults of `make chaos` are drawn from.",
    "PITSTREAM_CHROMIUM": "The browser's program, where it is not found by its usual names.",
    "PITSTREAM_FUZZ_EXAMPLES": "Requests that `make fuzz-http` makes of each endpoint, allowed and not.",
    "PITSTREAM_FUZZ_INPUTS": "Inputs that `make fuzz` gives the evaluator.",
    "PITSTREAM_FUZZ_STORED": "Records that `make fuzz` sends through a real store.",
}


def _of_command() -> dict[str, str]:
    """Variables that stand for options of ``pitstream``, and the keys, which have no option: others would see them."""
    found = dict(OF_KEYS)
    waiting = [get_command(app)]
    while waiting:
        command = waiting.pop()
        waiting += getattr(command, "commands", {}).values()
        for option in command.params:
            if option.envvar:
                found[str(option.envvar)] = f"As `{option.opts[0]}`: {option.help}"
    return {variable: meaning for variable, meaning in found.items() if variable not in _of_services()}


def _of_compose() -> dict[str, str]:
    """What ``docker-compose.yml`` alone takes from the environment, with what it has otherwise."""
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    found = re.findall(r"\$\{(PITSTREAM_\w+):-([^}]+)\}", text)
    return {variable: f"Otherwise `{value}`." for variable, value in found if variable not in _of_services()}


def _of_services() -> set[str]:
    """Variables that services read under one name."""
    shared = {
        f"PITSTREAM_{name.upper()}" for name, field in ServiceSettings.model_fields.items() if field.validation_alias
    }
    return shared | _own_settings().keys()


def metrics_page() -> str:
    """Every metric, from the modules that name them."""
    lines = [
        "# Metrics",
        "",
        "What `/metrics` of each service tells Prometheus, by OpenTelemetry's names; Prometheus writes them with `_`,",
        "the unit behind, and `_total` behind what only grows. [`telemetry.md`](telemetry.md) says how they are read.",
    ]
    shared = import_module("pitstream.runtime.telemetry").METRICS
    for service, metrics in [("every service", shared), *((service, _own_metrics(service)) for service in SERVICES)]:
        if metrics:
            lines += [
                "",
                f"## {service}",
                "",
                "| metric | kind | unit | what | told by |",
                "| --- | --- | --- | --- | --- |",
            ]
        for one in metrics:
            by = ", ".join(f"`{name}`" for name in one.attributes)
            lines.append(f"| `{one.name}` | {one.kind} | `{one.unit}` | {_prose(one.what)} | {by} |")
    return "\n".join(lines) + "\n"


def _own_metrics(service: str) -> tuple[Metric, ...]:
    name = f"pitstream.services.{service}.telemetry"
    if find_spec(name) is None:
        return ()
    module = import_module(name)
    return (*module.METRICS, *getattr(module, "SHOWN", ()))


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


def wired(service: str) -> Service:
    """The service with all its parts. It runs nowhere: no address here is ever asked."""
    with tempfile.TemporaryDirectory() as home:
        settings = settings_of(service)(kafka="nowhere", postgres="nowhere", access=employ_staff(Path(home)))
        built: Service = import_module(f"pitstream.services.{service}.app").build(settings)
    return built


def openapi_document(service: str) -> str:
    """What the service answers on ``/openapi.json``."""
    return json.dumps(wired(service).app.openapi(), indent=1, ensure_ascii=False) + "\n"


def decisions_page() -> str:
    """Every decision, by its first line."""
    pages = sorted((HERE / "decisions").glob("[0-9]*.md"))
    titles = [page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") for page in pages]
    lines = ["# Decisions", "", "One page each: the question, the choice, what would change it.", ""]
    return "\n".join([*lines, *(f"- [{title}]({page.name})" for title, page in zip(titles, pages, strict=True))]) + "\n"


def asyncapi_document() -> str:
    """The topics. An event's example is the newest of its golden files."""
    examples: dict[str, object] = {}
    for file in sorted((ROOT / "libs/events/tests/golden").glob("*/*.json"), key=_age):
        golden = json.loads(file.read_text(encoding="utf-8"))
        examples[golden["type"]] = golden["samples"][0]["event"]
    envelope = (ROOT / "proto/pitstream/envelope/v1/envelope.proto").read_text(encoding="utf-8")
    return json.dumps(document(version("pitstream"), envelope, examples), indent=1, ensure_ascii=False) + "\n"


def _age(file: Path) -> int:
    return int(file.stem.rpartition(".")[2])


PAGES = {
    "events.md": events_page,
    "asyncapi.json": asyncapi_document,
    "settings.md": settings_page,
    "metrics.md": metrics_page,
    "decisions/README.md": decisions_page,
    **runpy.run_path(str(HERE / "architecture.py"))["PICTURES"],
    **{f"openapi/{service}.json": partial(openapi_document, service) for service in SERVICES},
}

if __name__ == "__main__":
    (HERE / "openapi").mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
