"""What people do here: each action is a command of the service that decides it, sent on in that person's own name.

An action's path is its command's path there, behind ``/actions``. A page's form sends its fields and ``command_id``; a
program may send JSON and the header ``Idempotency-Key``. The answer is the deciding service's.
"""

import json
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs, quote, urlsplit

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from pitstream.events.refusal import Refusal
from pitstream.runtime import AnsweredError, Outcome, Principal, Role, allowed
from pitstream.runtime.access import Allowed
from pitstream.services.ops.owners import Owners
from pitstream.services.ops.rendering import problem_page
from pitstream.services.ops.sessions import inside

Kind = Literal["text", "optional", "number", "flag", "list", "json"]
FLOOR = (Role.FLOORPERSON,)
AT_TABLE = (Role.DEALER, Role.FLOORPERSON)
RULING = (Role.FLOORPERSON, Role.AUDITOR)
NETWORK = (Role.PROGRESSIVE,)


@dataclass(frozen=True, slots=True)
class Action:
    """One command of another service. ``itself``: names in the path that only that service can judge."""

    service: str
    path: str
    name: str
    does: str
    roles: tuple[Role, ...]
    fields: Mapping[str, Kind]
    itself: tuple[str, ...] = ()
    everywhere: bool = False
    there: str = ""
    """The path there, where it is another one."""


HIT = "/networks/{network}/hits/{claim_id}"
CHANGE = "/networks/{network}/proposals/{proposal_id}"
PRIZE = "/tables/{table}/prizes/{prize_id}"
DISPUTES = "/tables/{table}/rounds/{round_no}/disputes"
CORRECTIONS = "/tables/{table}/rounds/{round_no}/corrections"
LETTER = "/services/{service}/dead-letters/{dead_letter_id}/retry"
ACTIONS = (
    Action(
        "progressive", f"{HIT}/verify", "verify_hit", "Hand and light of a hit were checked at the table.", AT_TABLE,
        {"checks": "list"}, itself=("network",),
    ),
    Action(
        "progressive", f"{HIT}/approve", "approve_hit", "Validate a hit: it is paid by hand.", FLOOR,
        {"document": "text"}, itself=("network",),
    ),
    Action(
        "progressive", f"{HIT}/refuse", "refuse_hit", "Refuse a hit.", FLOOR,
        {"reason": "text", "document": "optional"}, itself=("network",),
    ),
    Action(
        "progressive", f"{HIT}/release", "release_cards", "A decided hit's cards go to the discard rack.", AT_TABLE, {},
        itself=("network",),
    ),
    Action("progressive", f"{CHANGE}/approve", "approve_change", "Approve what another person proposed.", NETWORK, {}),
    Action(
        "progressive", f"{CHANGE}/reject", "reject_change", "Reject a proposed change.", NETWORK, {"reason": "text"}
    ),
    Action(
        "progressive", "/networks/{network}/proposals", "propose_change", "Propose a change of a network.", NETWORK,
        {"reason": "text", "terms": "json", "policy": "optional", "correction": "json", "transfer": "json",
         "retire": "optional"},
    ),
    Action(
        "progressive", "/networks/{network}/questions/{table}/{round_no}", "answer_question",
        "Admit a questioned contribution, or keep it out.", NETWORK, {"admitted": "flag", "reason": "text"},
    ),
    Action("progressive", f"{PRIZE}/approve", "approve_prize", "Validate a prize.", FLOOR, {"document": "text"}),
    Action(
        "progressive", f"{PRIZE}/refuse", "refuse_prize", "Refuse a prize.", FLOOR,
        {"reason": "text", "document": "optional"},
    ),
    Action("table", DISPUTES, "open_dispute", "Open a dispute.", FLOOR, {"seat": "number", "text": "text"}),
    Action(
        "table", f"{DISPUTES}/{{number}}/statements", "attach_statement", "Take down what somebody says.", FLOOR,
        {"said_by": "text", "text": "text"},
    ),
    Action(
        "table", f"{DISPUTES}/{{number}}/decision", "decide_dispute", "Decide a dispute.", FLOOR,
        {"decision": "text", "reason": "text"},
    ),
    Action(
        "table", CORRECTIONS, "propose_correction", "Propose to correct what was recorded of a round.", RULING,
        {"facts": "json", "reason": "text", "dispute": "number"},
    ),
    Action(
        "table", f"{CORRECTIONS}/{{number}}/confirm", "confirm_correction", "Confirm another's correction.", RULING, {},
    ),
    Action(
        "table", f"{CORRECTIONS}/{{number}}/decline", "decline_correction", "Decline a correction.", RULING,
        {"reason": "text"},
    ),
    Action(
        "wallet", "/operators/{operator}/moves/{transaction_id}/resolve", "resolve_move",
        "Say what stands of an uncertain move at an operator's wallet.", (Role.CASHIER, Role.OPERATIONS),
        {"resolution": "text", "reason": "text"},
    ),
    Action(
        "", LETTER, "retry_letter", "Let a service try a dead letter again.", (Role.OPERATIONS,), {}, everywhere=True,
        there="/dead-letters/{dead_letter_id}/retry",
    ),
)  # fmt: skip
"""Every action that there is."""


async def _owners(request: Request) -> Owners:
    found: Owners = request.app.state.owners
    return found


def routes() -> APIRouter:
    """A route for each action."""
    router = APIRouter(prefix="/actions", tags=["actions"])
    for action in ACTIONS:
        router.add_api_route(
            action.path,
            _route(action, allowed(*action.roles, everywhere=action.everywhere, itself=action.itself)),
            methods=["POST"],
            name=f"ask_{action.name}",
            description=f"{action.does} Decided by the {action.service or 'named'} service, whose answer this is.",
            summary=action.does,
            openapi_extra=_described(action),
            response_class=Response,
            responses={
                200: {"description": "Done.", "content": {"application/json": {"schema": {"type": "object"}}}},
                201: {"description": "Done.", "content": {"application/json": {"schema": {"type": "object"}}}},
                303: {"description": "Done; somebody at a browser without scripts goes on where they were."},
                404: {"description": ""}, 409: {"description": ""}, 422: {"description": ""},
                503: {"description": "The deciding service does not answer; the same command id may be sent again."},
            },
        )  # fmt: skip
    return router


def _route(action: Action, guard: Allowed) -> Callable[..., Coroutine[Any, Any, Response]]:
    async def act(
        request: Request,
        _who: Annotated[Principal, Depends(guard)],
        owners: Annotated[Owners, Depends(_owners)],
    ) -> Response:
        service = action.service or request.path_params["service"]
        command_id, body = _read(action, await request.body(), request)
        named = {name: quote(str(value), safe="") for name, value in request.path_params.items()}
        path = "/v1" + (action.there or action.path).format(**named)
        if service not in owners.urls:
            named_services = ", ".join(owners.urls)
            refusal = Refusal("unknown_service", "service", f"was {service[:64]!r}; allowed: {named_services}")
            raise AnsweredError(Outcome.refused(refusal, 404))
        credential = request.scope["pitstream.credential"]
        answer = await owners.command(service, path, credential, command_id, body)
        return _for_a_browser(request, answer)

    return act


def _read(action: Action, raw: bytes, request: Request) -> tuple[str, dict[str, Any] | None]:
    """Command id and JSON body of what was sent. Raises AnsweredError."""
    command_id = request.headers.get("idempotency-key", "")
    if request.headers.get("content-type", "").partition(";")[0] == "application/x-www-form-urlencoded":
        form = parse_qs(raw.decode("utf-8", "replace"), keep_blank_values=True)
        command_id = command_id or form.get("command_id", [""])[0]
        body = _body_of(action, form)
    else:
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise _wrong("body", "allowed: a JSON object, or a form's fields")
    if not (1 <= len(command_id) <= 200 and command_id.isascii() and command_id.isprintable()):
        raise _wrong("command_id", f"was {command_id[:200]!r}; allowed: 1 to 200 printable ASCII characters")
    return command_id, body if action.fields else None


def _body_of(action: Action, form: Mapping[str, list[str]]) -> dict[str, Any]:
    """A form's fields as the command has them: fields left empty are left out, unless they must be there."""
    body: dict[str, Any] = {}
    for name, kind in action.fields.items():
        values = form.get(name, [])
        said = values[0].strip() if values else ""
        match kind:
            case "list":
                body[name] = [value for value in values if value]
            case "text":
                body[name] = said
            case _ if not said:
                continue
            case "optional":
                body[name] = said
            case "number":
                body[name] = _number(name, said)
            case "flag":
                body[name] = said in ("true", "on", "yes", "1")
            case "json":
                body[name] = _json(name, said)
    return body


def _number(name: str, said: str) -> int:
    if not (said.isascii() and said.isdecimal() and len(said) <= 18):
        raise _wrong(name, f"was {said[:50]!r}; allowed: a whole number")
    return int(said)


def _json(name: str, said: str) -> Any:
    try:
        return json.loads(said)
    except ValueError:
        raise _wrong(name, "was no JSON; allowed: JSON as the deciding service describes it") from None


def _wrong(field: str, message: str) -> AnsweredError:
    return AnsweredError(Outcome.refused(Refusal("invalid_input", field, message), 422))


def _for_a_browser(request: Request, answer: Response) -> Response:
    """The answer; for somebody whose browser runs no script, the page that they came from, or what is wrong."""
    if not request.headers.get("accept", "").startswith("text/html"):
        return answer
    if answer.status_code >= 400:
        return problem_page(request, json.loads(bytes(answer.body)), answer.status_code) or answer
    came_from = urlsplit(request.headers.get("referer", ""))
    return RedirectResponse(inside(came_from.path + (f"?{came_from.query}" if came_from.query else "")), 303)


def _described(action: Action) -> dict[str, Any]:
    names = [part[1:-1] for part in action.path.split("/") if part.startswith("{")]
    types: dict[Kind, dict[str, Any]] = {
        "text": {"type": "string"},
        "optional": {"type": "string"},
        "number": {"type": "integer", "minimum": 0},
        "flag": {"type": "boolean"},
        "list": {"type": "array", "items": {"type": "string"}},
        "json": {},
    }
    schema = {"type": "object", "properties": {name: types[kind] for name, kind in action.fields.items()}}
    parameters = [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]
    key = {
        "name": "Idempotency-Key",
        "in": "header",
        "required": True,
        "description": "The caller's own id of this command; a form sends it as `command_id`.",
        "schema": {"type": "string", "pattern": "^[ -~]{1,200}$"},
    }
    return {
        "parameters": [*parameters, key],
        "requestBody": {"content": {"application/json": {"schema": schema}}},
    }
