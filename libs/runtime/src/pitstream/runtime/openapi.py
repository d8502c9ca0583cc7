"""The description of a service's API: every answer of every route, in one place.

A route describes what is its own: its body, what it answers when all is well. What every route has in common is added
here: the credential, and the problems that the gate, the roles, the command id and the framework answer with.
"""

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

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
HEADERS = {
    "WWW-Authenticate": {"schema": {"type": "string"}, "description": "`Bearer`, and why."},
    "Retry-After": {"schema": {"type": "integer"}, "description": "Seconds until it may be asked again."},
}


def describe(app: FastAPI) -> None:
    """Complete what ``app.openapi()`` says. Raises ValueError for a route without roles, or two of one name."""
    routes = [route for route in app.routes if isinstance(route, APIRoute)]
    for route in routes:
        if roles_of_route(route) is None and not route.path.startswith("/health/"):
            raise ValueError(f"{route.path}: has no roles; every route but those of /health needs allowed(...)")
    names = [route.operation_id or route.name for route in routes if route.include_in_schema]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"operation {', '.join(sorted(twice))}: is there twice; allowed: a name of its own")
    made = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _completed(made(), routes)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's own documented way


def roles_of_route(route: APIRoute) -> Allowed | None:
    """Which roles may use a route; None for a route that asks for none."""
    found = [call for call in _calls(route.dependant) if isinstance(call, Allowed)]
    return found[0] if found else None


def _calls(dependant: Any) -> list[Callable[..., Any]]:
    return [call for one in dependant.dependencies for call in (one.call, *_calls(one))]


def _completed(document: dict[str, Any], routes: list[APIRoute]) -> dict[str, Any]:
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas["Problem"].pop("$defs", None)
    schemas["Fault"] = Fault.model_json_schema()
    components["securitySchemes"] = SCHEMES
    for route in routes:
        if not route.include_in_schema:
            continue
        for method in route.methods or ():
            _complete(document["paths"][route.path_format][method.lower()], route)
    return document


def _complete(operation: dict[str, Any], route: APIRoute) -> None:
    guard = roles_of_route(route)
    answers = operation["responses"]
    if guard is None:
        return
    operation["security"] = [{"key": []}, {"token": []}]
    where = " and the scope `*`" if guard.everywhere else ""
    roles = f"Roles: {', '.join(guard.roles)}{where}."
    operation["description"] = f"{operation.get('description', '')}\n\n{roles}".strip()
    is_command = command_id in _calls(route.dependant)
    has_body = "requestBody" in operation
    told = {
        "401": "No credential, or one that is not known.",
        "403": "The credential has none of the roles, or not the scope `*` where it is needed.",
        "429": "Too many requests of this credential, or too many failed credentials of this address.",
    }
    if route.param_convertors:
        told["404"] = "There is nothing of that name, or it is outside of the credential's scopes."
    if is_command or has_body:
        told["400"] = "The command id is missing or no id, or the body cannot be read."
        told["413"] = "The body is larger than the service takes."
    if is_command:
        told["409"] = "The command id came before with other content, or it was done before."
    if is_command or has_body or "422" in answers:
        told["422"] = "It may not be carried out now, or a field is missing, unknown or out of range."
    for status, description in told.items():
        answers[status] = {
            "description": answers.get(status, {}).get("description") or description,
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        if status == "401":
            answers[status]["headers"] = {"WWW-Authenticate": HEADERS["WWW-Authenticate"]}
        if status == "429":
            answers[status]["headers"] = {"Retry-After": HEADERS["Retry-After"]}
    operation["responses"] = dict(sorted(answers.items()))
