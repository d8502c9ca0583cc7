"""Who works and plays: each a generator that yields a request and is given its answer. They ask again until they are
told something final, under the same id, as everybody must who may have been heard."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pitstream.games.game import FinishedRound
from simulated.faults import Plan, chance
from simulated.node import Answer
from simulated.rounds import CURRENCY, NETWORK, TablePlan

METERS = ("main", "mega", "major", "minor")
DEALER, FLOORPERSON = "d.one", "f.two"


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
    voids: list[tuple[str, int]] = field(default_factory=list)


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
    players = sorted({seat.player for one in tables for played in one.rounds for seat in played.seats})
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
    progress.dealing -= 1


def _plays(plan: Plan, table: str, number: int, played: FinishedRound, progress: Progress) -> Person:
    draw = chance(plan.seed, table, number)
    # Half of the voids come while the wagers' money may still be asked for.
    void_after = draw.choice((len(played.seats), draw.randrange(12))) if draw.random() < 0.25 else None
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
        body = {"seat": seat.seat, "player": seat.player, "stakes": dict(seat.wagers)}
        must((yield step("wagers", body)))
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
            progress.voids.append((table, round_no))
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


def validates() -> Person:
    """The floorperson who sees to shares of meters and to prizes that wait, for as long as the floor is open."""
    path = f"/v1/networks/{NETWORK}/hits"
    while True:
        found = must((yield Request("progressive", "GET", f"{path}?status=open", waits_for="progressive")), 200, 404)
        for hit in found.get("hits", []):
            claim = hit["claim_id"]
            for name, by, body, due in (
                ("verify", DEALER, {"checks": ["hand", "light"]}, ("locked",)),
                ("approve", FLOORPERSON, {"document": "W2-G"}, ("locked", "verified")),
                ("release", DEALER, {}, ("locked", "verified", "paid")),
            ):
                if hit["status"] in due:
                    must((yield command("progressive", f"{path}/{claim}/{name}", body, f"{name}/{claim}", by)))
        found = must((yield Request("progressive", "GET", "/v1/prizes?status=pending")))
        for prize in found["prizes"]:
            base, identity = f"/v1/tables/{prize['table']}/prizes/{prize['prize_id']}", prize["prize_id"]
            if int(identity[:2], 16) % 4:
                must(
                    (
                        yield command(
                            "progressive", f"{base}/approve", {"document": "W2-G"}, f"approve/{identity}", FLOORPERSON
                        )
                    )
                )
            else:
                body = {"reason": "the camera shows another card"}
                must((yield command("progressive", f"{base}/refuse", body, f"refuse/{identity}", FLOORPERSON)))


def retries(service: str) -> Person:
    """Who keeps a service running: what our own code failed on, and what waits behind it, goes through it again."""
    tries = 0
    while True:
        waits_for = f"dead letters of {service}"
        found = must((yield Request(service, "GET", "/v1/dead-letters?waiting=true", waits_for=waits_for)))
        blocking = [letter["id"] for letter in found["dead_letters"] if letter["blocks"] is not None]
        while blocking:
            tries += 1
            path = f"/v1/dead-letters/{blocking[0]}/retry"
            answer = yield command(service, path, {}, f"retry/{service}/{tries}")
            must(answer, 200, 409, 422)
            if answer.status != 422:
                del blocking[0]
