"""Who works and plays: each a generator that yields a request and is given its answer. They ask again until they are
told something final, under the same id, as everybody must who may have been heard."""

import json
import random
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from random_corrections import random_correction

from pitstream.games.game import FinishedRound
from pitstream.games.record import read_record
from pitstream.runtime.inbox import HANDLER_FAILED
from simulated.faults import Plan, chance
from simulated.node import Answer
from simulated.rounds import CURRENCY, NETWORK, TablePlan

METERS = ("main", "mega", "major", "minor")
DEALER, FLOORPERSON, AUDITOR = "d.one", "f.two", "a.three"


class Unexpected(Exception):  # noqa: N818 - it is what a seed is reported for
    """Somebody was told what the rules of the floor do not allow them to be told."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request. A command has an id of its own; a question has none."""

    service: str
    method: str
    path: str
    body: Mapping[str, Any] | None = None
    command_id: str = ""
    by: str = DEALER
    waits_for: str = ""
    """The service of which something new must have been committed before it is worth asking."""


Person = Generator[Request, Answer, None]


def command(service: str, path: str, body: Mapping[str, Any], command_id: str, by: str = DEALER) -> Request:
    return Request(service, "POST", path, body, command_id, by)


def must(answer: Answer, *allowed: int) -> Any:
    if answer.status not in (allowed or (200, 201)):
        raise Unexpected(f"{answer.status}: {answer.body}")
    return answer.body


@dataclass
class Progress:
    """What the people know of each other."""

    networks_open: bool = False
    dealing: int = 0
    """Dealers who are not done."""
    deposits: int = 0
    finished: list[tuple[str, int]] = field(default_factory=list)
    """Rounds that were played to their end: what can be corrected."""


def opens_network(plan: Plan, progress: Progress) -> Person:
    """Opens the network that all tables play on, each meter with terms of its own."""
    draw = chance(plan.seed, "network")
    meters = []
    for meter in METERS:
        seed = draw.choice((1_000, 10_000, 77_777))
        terms: dict[str, Any] = {"meter": meter, "seed": seed, "amount": seed + draw.randrange(5_000)}
        terms["rate"] = draw.choice(("1/5", "1/7", "3/1000", "17/97"))
        if draw.random() < 0.5:
            terms["reserve_rate"] = draw.choice(("1/10", "1/13"))
        if draw.random() < 0.3:
            terms["limit"] = seed + 20_000
        meters.append(terms)
    body = {"currency": CURRENCY, "meters": meters, "policy": draw.choice(("sequential", "full_each", "share"))}
    must((yield command("progressive", f"/v1/networks/{NETWORK}/open", body, "open-network", FLOORPERSON)))
    progress.networks_open = True


def pays_in(plan: Plan, tables: list[TablePlan], progress: Progress) -> Person:
    """The cashier: every player has money before anybody plays, some of them little, and some take some of it home."""
    draw = chance(plan.seed, "money")
    players = sorted({seat.player for one in tables for played in one.rounds for seat in played.seats} | {"p-else"})
    for player in players:
        path = f"/v1/players/{player}/{CURRENCY}"
        amount = draw.choice((50_000, 10**9, 10**9, 10**9))
        must((yield command("wallet", f"{path}/deposits", {"amount": amount}, f"in/{player}")))
        if draw.random() < 0.2:
            out = draw.choice((1, 999, 10**10))
            answer = yield command("wallet", f"{path}/withdrawals", {"amount": out}, f"out/{player}")
            must(answer, 201, 422)
        progress.deposits += 1


def deals(plan: Plan, one: TablePlan, progress: Progress) -> Person:
    """A table's dealer, with the floorperson beside: plays the table's rounds, command by command."""
    terms: dict[str, Any] | None = None
    for number, played in enumerate(one.rounds, start=1):
        wanted = {
            "game": played.game,
            "gaming_day": played.gaming_day,
            "currency": played.currency,
            "paytables": dict(played.paytables),
            "network": NETWORK,
        }
        table = f"/v1/tables/{one.table}"
        if wanted != terms:
            if terms is not None:
                must((yield command("table", f"{table}/close", {"reason": "next game"}, f"{one.table}/close/{number}")))
            must((yield command("table", f"{table}/open", wanted, f"{one.table}/open/{number}")))
            terms = wanted
        yield from _plays(plan, one.table, number, played, progress)
        yield from _disputes(plan, one.table, number, progress)
    progress.dealing -= 1


def _plays(plan: Plan, table: str, number: int, played: FinishedRound, progress: Progress) -> Person:
    draw = chance(plan.seed, table, number)
    # A third of the voids come while the wagers' money may still be asked for, another when the hands lie there and the
    # wagers have just been counted.
    seats = len(played.seats)
    void_after = draw.choice((seats, seats + 1, draw.randrange(12))) if draw.random() < 0.4 else None
    leaves_after = draw.randrange(8) if draw.random() < 0.1 else None
    opening = {"round_id": f"r{number}", "options": dict(played.options)}
    opened = must((yield command("table", f"/v1/tables/{table}/rounds", opening, f"{table}/{number}/open")))
    round_no = opened["round_no"]
    path = f"/v1/tables/{table}/rounds/{round_no}"
    sent = 0

    def step(name: str, body: Mapping[str, Any], by: str = DEALER) -> Request:
        nonlocal sent
        sent += 1
        return command("table", f"{path}/{name}", body, f"{table}/{number}/{sent}/{name}", by)

    for seat in played.seats:
        stakes = dict(seat.wagers)
        while True:
            answer = yield step("wagers", {"seat": seat.seat, "player": seat.player, "stakes": dict(stakes)})
            if answer.status != 422 or answer.body["code"] != "progressive_suspended":
                must(answer)
                break
            del stakes[answer.body["field"].removeprefix("stakes.")]  # the seat plays without it
    said = {seat.seat: list(seat.decisions) for seat in played.seats}
    cards = {seat.seat: list(seat.cards) for seat in played.seats}
    community = list(played.community)
    view = must((yield Request("table", "GET", path)))
    while view["stage"] not in ("finished", "voided"):
        if view["waiting_for"] and not (void_after is not None and sent >= void_after):
            view = must((yield Request("table", "GET", path, waits_for="table")))
            continue
        standing = [seat["seat"] for seat in view["seats"] if seat["stands"]]
        in_betting = view["stage"] == "betting"
        if (void_after is not None and sent >= void_after) or (in_betting and not standing):
            view = must((yield step("void", {"kind": "misdeal", "reason": "the shuffler says so"}, FLOORPERSON)))
        elif leaves_after is not None and sent >= leaves_after and standing:
            leaves_after = None
            answer = yield step("leave", {"seat": draw.choice(standing), "reason": "taken ill"}, FLOORPERSON)
            must(answer, 200, 422)
            view = must((yield Request("table", "GET", path)))
        elif in_betting:
            hands = [{"seat": seat, "cards": cards[seat]} for seat in standing]
            view = must((yield step("deal", {"hands": hands, "dealer": list(played.dealer)})))
        elif view["asking"] is not None:
            seat, choices = view["asking"]["seat"], view["asking"]["choices"]
            choice = said[seat].pop(0) if said[seat] else ""
            if choice not in choices:  # the money of what it said was not there
                choice = "check" if "check" in choices else "fold" if "fold" in choices else choices[0]
            view = must((yield step("decisions", {"seat": seat, "choice": choice})))
        elif view["awaiting_cards"] is not None:
            count = view["awaiting_cards"]["community"]
            view = must((yield step("community", {"cards": community[:count]})))
            del community[:count]
        elif view["bonus_is_due"]:
            view = must((yield step("bonus", {"cards": list(played.bonus)})))
        else:
            view = must((yield step("finish", {})))
    if view["stage"] == "finished":
        progress.finished.append((table, round_no))


def _disputes(plan: Plan, table: str, number: int, progress: Progress) -> Person:
    """A player does not agree with a round of the table; people say what was recorded wrong, now and then twice."""
    draw = chance(plan.seed, table, number, "disputes")
    rounds = [round_no for name, round_no in progress.finished if name == table]
    if not rounds or draw.random() > 0.5:
        return
    path = f"/v1/tables/{table}/rounds/{draw.choice(rounds)}"
    name = f"{table}/{number}"
    told = {"text": "the camera shows another card"}
    dispute = must((yield command("table", f"{path}/disputes", told, f"{name}/dispute", FLOORPERSON)))["number"]
    about = f"{path}/disputes/{dispute}"
    said = {"said_by": "dealer", "text": "I read it so"}
    must((yield command("table", f"{about}/statements", said, f"{name}/said", FLOORPERSON)))
    decision = {"decision": draw.choice(("upheld", "upheld", "denied")), "reason": "camera 4"}
    must((yield command("table", f"{about}/decision", decision, f"{name}/decision", FLOORPERSON)))
    if decision["decision"] == "denied":
        return
    for time in range(draw.choice((1, 1, 2))):
        must((yield from _corrects(path, f"{name}/{time}", dispute, draw)))


def _corrects(path: str, name: str, dispute: int, draw: random.Random) -> Generator[Request, Answer, Answer]:
    """One person proposes facts, and cannot agree to them alone; another one does, or does not."""
    found = must((yield Request("table", "GET", f"{path}/facts", by=AUDITOR)))
    facts, _ = random_correction(read_record(json.dumps(found["record"]).encode()).round, draw)
    body = {
        "facts": [fact.model_dump(mode="json", exclude_none=True) for fact in facts],
        "reason": "camera 4",
        "dispute": dispute,
    }
    proposed = must((yield command("table", f"{path}/corrections", body, f"{name}/propose", AUDITOR)))
    waiting = f"{path}/corrections/{proposed['number']}"
    if draw.random() < 0.2:
        must((yield command("table", f"{waiting}/confirm", {}, f"{name}/alone", AUDITOR)), 403, 422)
    if draw.random() < 0.2:
        why = {"reason": "it does not show it"}
        return (yield command("table", f"{waiting}/decline", why, f"{name}/decline", FLOORPERSON))
    return (yield command("table", f"{waiting}/confirm", {}, f"{name}/confirm", FLOORPERSON))


def validates() -> Person:
    """The floorperson who sees to shares of meters and to prizes that wait, for as long as the floor is open. A
    correction may take a win away before it is paid: it is refused then."""
    network = f"/v1/networks/{NETWORK}"
    tries = count(1)
    while True:
        path = f"{network}/hits"
        found = must((yield Request("progressive", "GET", f"{path}?status=open", waits_for="progressive")), 200, 404)
        for hit in found.get("hits", []):
            yield from _sees_to(f"{path}/{hit['claim_id']}", hit, next(tries))
        path = f"{network}/proposed-hits"
        found = must((yield Request("progressive", "GET", f"{path}?status=proposed")), 200, 404)
        for hit in found.get("proposed_hits", []):
            claim = hit["claim_id"]
            name, body = ("accept", {}) if int(claim[:2], 16) % 2 else ("decline", {"reason": "it was never lit"})
            asked = command("progressive", f"{path}/{claim}/{name}", body, f"{name}/{claim}/{hit['correction']}")
            must((yield asked), 200, *GONE)
        found = must((yield Request("progressive", "GET", "/v1/prizes?status=pending")))
        for prize in found["prizes"]:
            base, identity = f"/v1/tables/{prize['table']}/prizes/{prize['prize_id']}", prize["prize_id"]
            name, body = ("approve", {"document": "W2-G"})
            if int(identity[:2], 16) % 4 == 0:
                name, body = ("refuse", {"reason": "the camera shows another card"})
            asked = command("progressive", f"{base}/{name}", body, f"{name}/{identity}", FLOORPERSON)
            must((yield asked), 200, *GONE)


GONE = (404, 409, 422)
"""What somebody is told who decides about a win that a correction has taken away."""


def _sees_to(path: str, hit: Mapping[str, Any], time: int) -> Person:
    claim, status = hit["claim_id"], hit["status"]
    if hit["questioned"] and status in ("locked", "verified"):
        refused = {"reason": "it was not won"}
        must((yield command("progressive", f"{path}/refuse", refused, f"refuse/{claim}", FLOORPERSON)))
        status = "refused"
    if status == "locked":
        checks = {"checks": ["hand", "light"]}
        must((yield command("progressive", f"{path}/verify", checks, f"verify/{claim}", DEALER)))
        status = "verified"
    if status == "verified":
        document = {"document": "W2-G"}
        asked = command("progressive", f"{path}/approve", document, f"approve/{claim}/{time}", FLOORPERSON)
        answer = yield asked
        must(answer, 200, *GONE)
        if answer.status in GONE:
            return  # questioned meanwhile, or shared with one that still waits: what the list says next counts
    must((yield command("progressive", f"{path}/release", {}, f"release/{claim}", DEALER)))


def retries(service: str) -> Person:
    """Who keeps a service running: what our own code failed on, and what waits behind it, goes through it again."""
    tries = 0
    while True:
        waits_for = f"dead letters of {service}"
        found = must((yield Request(service, "GET", "/v1/dead-letters?waiting=true", waits_for=waits_for)))
        # What cannot be read stays what it is, however often it is tried; an event in its place lets its key go on.
        blocking = [
            letter["id"]
            for letter in found["dead_letters"]
            if letter["blocks"] is not None and letter["reason"] == HANDLER_FAILED
        ]
        while blocking:
            tries += 1
            path = f"/v1/dead-letters/{blocking[0]}/retry"
            answer = yield command(service, path, {}, f"retry/{service}/{tries}")
            must(answer, 200, 409, 422)
            if answer.status != 422:
                del blocking[0]
