"""The description of a service's API: every answer of every route, in one place.

A route describes what is its own: its body, what it answers when all is well. What every route has in common is added
here: the credential, and the problems that the gate, the roles, the command id and the framework answer with.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts

from pitstream.runtime.access import Allowed
from pitstream.runtime.commands import command_id
from pitstream.runtime.problem import MEDIA_TYPE, Fault, Problem

SCHEMES = {
    "key": {"type": "http", "scheme": "bearer", "description": "An API key: `Authorization: Bearer pitkey_…`."},
    "token": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A token signed by an issuer that the access file names (RS256, ES256 or EdDSA).",
    },
}
_PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_TOLD = {
    400: "The command id is missing or no id, or the body cannot be read.",
    401: "No credential, or one that is not known.",
    403: "The credential has none of the roles, or not the scope `*` where it is needed.",
    404: "There is nothing of that name, or it is outside of the credential's scopes.",
    409: "The command id came before with other content, or what is asked for was done before.",
    413: "The body is larger than the service takes.",
    422: "It may not be carried out now, or a field is missing, unknown or out of range.",
    429: "Too many requests of this credential, or too many failed credentials of this address.",
    503: "It cannot be said yet: the same command may be sent again.",
}
_HEADERS = {
    401: {"WWW-Authenticate": {"schema": {"type": "string"}, "description": "`Bearer`, and why."}},
    429: {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds until it may be asked again."}},
    503: {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds until it may be sent again."}},
}
MAY_BE_UNCERTAIN: dict[int | str, dict[str, Any]] = {503: {"description": _TOLD[503]}}
"""``responses`` of a route whose command may have to be sent again, since it rests on what was heard."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One route of a service, asked with one method."""

    method: str
    path: str
    name: str
    parameters: frozenset[str]
    """Names of what its path holds."""
    guard: Allowed | None
    """Who may use it; None for a route that asks nobody."""
    is_command: bool
    is_described: bool


def operations(app: FastAPI) -> Iterator[Operation]:
    """Every operation of an application, in the order of its routes."""
    for route in iter_route_contexts(app.routes):
        if not isinstance(route.original_route, APIRoute):
            continue
        calls = list(_calls(route.dependant))
        guards = [call for call in calls if isinstance(call, Allowed)]
        for method in sorted(route.methods or ()):
            yield Operation(
                method=method,
                path=route.path_format or "",
                name=route.name or "",
                parameters=frozenset(route.param_convertors),
                guard=guards[0] if guards else None,
                is_command=command_id in calls,
                is_described=route.include_in_schema,
            )


def _calls(dependant: Any) -> Iterator[Callable[..., Any]]:
    for one in dependant.dependencies:
        yield one.call
        yield from _calls(one)


def describe(app: FastAPI, open_paths: tuple[str, ...] = ()) -> None:
    """Complete what ``app.openapi()`` says. Raises ValueError for a route without roles, or two of one name.

    Routes whose path begins with one of ``open_paths`` need no roles, beside those of health."""
    every = list(operations(app))
    for one in every:
        if one.guard is None and not one.path.startswith(("/health/", *open_paths)):
            raise ValueError(f"{one.path}: has no roles; every route but those of /health needs allowed(...)")
        if not one.is_described:
            raise ValueError(f"{one.path}: is left out of the description; allowed: routes that are described")
    names = [one.name for one in every]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"operation {', '.join(sorted(twice))}: is there twice; allowed: a name of its own")
    made = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _completed(made(), every)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI's own documentation does it


def _completed(document: dict[str, Any], every: list[Operation]) -> dict[str, Any]:
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas["Problem"].pop("$defs", None)
    schemas["Fault"] = Fault.model_json_schema()
    components["securitySchemes"] = SCHEMES
    for one in every:
        _complete(document["paths"][one.path][one.method.lower()], one)
    return document


def _complete(described: dict[str, Any], one: Operation) -> None:
    answers = described["responses"]
    if one.guard is None:
        if "422" in answers:
            answers["422"] = {"description": _TOLD[422], "content": _PROBLEM}
        return
    if one.is_command:
        described["parameters"] = [_the_key_is_required(parameter) for parameter in described["parameters"]]
    described["security"] = [{"key": []}, {"token": []}]
    where = " and the scope `*`" if one.guard.everywhere else ""
    roles = f"Roles: {', '.join(one.guard.roles)}{where}."
    described["description"] = f"{described.get('description', '')}\n\n{roles}".strip()
    takes_body = "requestBody" in described
    statuses = {401, 403, 413, 400, 429}
    statuses |= {404} if one.parameters else set()
    statuses |= {409} if one.is_command else set()
    statuses |= {422} if one.is_command or takes_body or "422" in answers else set()
    # What a route says itself of an answer stays; its shape is that of all problems.
    said = {int(status) for status in answers if status.isdecimal() and int(status) >= 400}
    for status in sorted(statuses | said):
        answer = {"description": answers.get(str(status), {}).get("description") or _TOLD.get(status, "")}
        if status == 422 and answer["description"] == "Validation Error":
            answer["description"] = _TOLD[422]
        answers[str(status)] = {**answer, "content": _PROBLEM} | (
            {"headers": _HEADERS[status]} if status in _HEADERS else {}
        )
    described["responses"] = dict(sorted(answers.items()))


def _the_key_is_required(parameter: dict[str, Any]) -> dict[str, Any]:
    """A command's id, as ``command_id`` takes it: code finds it missing, so that a refusal of ours says so."""
    if parameter["in"] != "header" or parameter["name"].lower() != "idempotency-key":
        return parameter
    return {
        "name": "Idempotency-Key",
        "in": "header",
        "required": True,
        "description": "The caller's own id of this command: however often it is sent, it is carried out once.",
        "schema": {"type": "string", "pattern": "^[ -~]{1,200}$", "title": "Idempotency-Key"},
        "example": "7d0c8e52-6d2f-4a0e-9d4f-0b8a3b1a2f55",
    }
