"""Topic ``progressives.v1``: meters by their own arithmetic, hits and prizes as settlements won them, and what each
event owes to the ledger."""

from typing import Any, cast

from pitstream.archive import Stored
from pitstream.audit.findings import found
from pitstream.audit.meters import Meters
from pitstream.audit.part import Part
from pitstream.audit.settlements import hit_content
from pitstream.events import Event, Recorded
from pitstream.events.corrections import ContributionCorrected
from pitstream.events.prizes import PrizeApproved, PrizePending, PrizeRefused
from pitstream.events.progressives import (
    ContributionAnswered,
    ContributionQuestioned,
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    HitRefused,
    RoundClosed,
    WagersContributed,
)
from pitstream.events.rounds import WagersPlaced
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.events.wallet import AccountKind, AccountOpened
from pitstream.services.wallet.books import Account, Books, transfers_of
from pitstream.services.wallet.ledger import Fact, accounts_of, post
from pitstream.services.wallet.posting import UnpostableError


class _Key:
    """A network, or the prizes of a table. The books hold what its own events moved: its meters and what is put aside,
    of hits and prizes that are not over."""

    def __init__(self) -> None:
        self.meters = Meters()
        self.books = Books()
        self.questioned: set[tuple[str, int]] = set()
        """Rounds whose contribution waits for a person, or was admitted a moment ago."""
        self.fed: dict[tuple[str, int], bool] = {}
        """Rounds that are not closed and fed the meters: whether what they brought is there still."""


class Networks:
    """``see`` every event of the topic."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._keys: dict[str, _Key] = {}

    async def see(self, stored: Stored, recorded: Recorded) -> None:
        """The next event of its key."""
        key, event = self._keys.setdefault(stored.key, _Key()), recorded.event
        if recorded.stream.startswith("progressive/"):
            try:
                wrong = key.meters.after(event)
            except KeyError as unknown:
                wrong = [("meter", unknown, "one of the network's")]
            for what, told, right in wrong:
                self._part.report(found("meter", stored, f"{what} differs", told, right), stored.recorded_at_us)
        self._tells(stored, recorded, key)
        if isinstance(event, Fact) and not isinstance(event, WagersPlaced | RoundSettled | RoundResettled):
            self._owes(stored, recorded, event, key)

    def _tells(self, stored: Stored, recorded: Recorded, key: _Key) -> None:
        part = self._part
        match recorded.event:
            case HitLocked() as hit:
                content = hit_content(hit.player, hit.meter, hit.percent, hit.wager)
                part.tell("hit", hit.claim_id, hit.table, stored, content)
            case PrizePending() as prize:
                part.tell("prize", prize.prize_id, prize.table, stored, prize.model_dump(mode="json"))
            case RoundClosed() as closed:
                name = f"{closed.network}/{closed.table}/{closed.round_no}"
                part.tell("round closed", name, closed.table, stored, {"cause": recorded.envelope.cause_id})
                kept = key.fed.pop((closed.table, closed.round_no), None)
                if kept is not None:
                    part.tell("stakes kept", name, closed.table, stored, {"kept": kept})
            case ContributionsReturned() as returned:
                key.fed[returned.table, returned.round_no] = False
            case ContributionQuestioned() as asked:
                key.questioned.add((asked.table, asked.round_no))
                name = f"{asked.network}/{asked.table}/{asked.round_no}"
                part.tell("stakes", name, asked.table, stored, {"stakes": asked.stakes})
            case ContributionAnswered(admitted=False) as answered:
                key.questioned.discard((answered.table, answered.round_no))
            case WagersContributed() as fed:
                key.fed[fed.table, fed.round_no] = True
                if (fed.table, fed.round_no) in key.questioned:
                    key.questioned.discard((fed.table, fed.round_no))
                else:
                    name = f"{fed.network}/{fed.table}/{fed.round_no}"
                    part.tell("stakes", name, fed.table, stored, {"stakes": fed.stakes})

    def _owes(self, stored: Stored, recorded: Recorded, fact: Any, key: _Key) -> None:
        """The ledger's answer, as it decides it: on what this key's own events had moved before."""
        books = key.books
        for account in accounts_of(fact) - books.accounts.keys():
            kind, currency = account.partition("/")[0], account.rpartition("/")[2]
            books.accounts[account] = Account(account, cast("AccountKind", kind), currency, 2)
        try:
            answers = post(books, fact)
        except UnpostableError as error:
            self._part.report(found("posting", stored, f"the ledger cannot follow: {error}"), stored.recorded_at_us)
            return
        for answer in answers:
            if not isinstance(answer, AccountOpened):
                name, content = posting(answer, stored.event_id, recorded.envelope.actor)
                self._part.owe("posting", name, stored.key, stored, content)
        if isinstance(fact, HandPayApproved | HitRefused):
            books.reserved.pop(fact.claim_id, None)
            for account in [one for one in books.accounts if fact.claim_id in one]:
                if books.accounts[account].balance == 0:
                    del books.accounts[account]
        if isinstance(fact, PrizeApproved | PrizeRefused | HandPayApproved):
            for account in [one for one in books.accounts if one.startswith("player/")]:
                del books.accounts[account]


def posting(event: Event, cause: str, actor: str) -> tuple[str, dict[str, Any]]:
    """The name under which a posting is owed and told, and what it must say: one for each event, type and account."""
    account: str = getattr(event, "account")  # noqa: B009  # a field of every posting
    moved = [transfer.model_dump(mode="json") for transfer in transfers_of(event)]
    return f"{cause} {event.type_name} {account}", {"transfers": moved, "actor": actor}


__all__ = ["ContributionCorrected", "Networks", "posting"]
