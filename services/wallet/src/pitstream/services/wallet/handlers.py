"""From a polled batch of facts to the wallet's answers, in the batch's own transaction: lock, load, decide, write."""

from collections.abc import Sequence
from typing import cast

from pitstream.events import Event, Recorded
from pitstream.events.rounds import TableOpened, WagersPlaced
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.runtime import Cause, Transaction
from pitstream.services.wallet.ledger import FACTS, Fact, post
from pitstream.services.wallet.remote.desk import desk_for
from pitstream.services.wallet.remote.store import remember_games
from pitstream.services.wallet.store import Answer, load_for_facts, write
from pitstream.services.wallet.webhooks.notices import Notice, correction_notices, event_notices, round_notices
from pitstream.services.wallet.webhooks.store import anybody_listens, record


async def post_facts(tx: Transaction, batch: Sequence[Recorded]) -> None:
    """Handler of ``rounds.v1``, ``settlements.v1`` and ``progressives.v1``.

    A bundle of a player whose operator keeps the money itself is not answered here: the intent to ask the operator is
    written, and the answer follows the operator's.

    Raises UnpostableError for a fact that the ledger cannot take as it is: it is put aside, and its key waits.
    """
    games = {event.table: event.game for recorded in batch if type(event := recorded.event) is TableOpened}
    if games:
        await remember_games(tx, games)
    heard = [(recorded, cast("Fact", recorded.event)) for recorded in batch if type(recorded.event) in FACTS]
    if not heard:
        return
    facts = [fact for _, fact in heard]
    books = await load_for_facts(tx, facts)
    desk = await desk_for(tx, books, facts)
    answers, notices = [], []
    listened = await anybody_listens(tx)
    for recorded, fact in heard:
        if type(fact) is WagersPlaced and (operator := desk.keeps(fact.player)) is not None:
            answers.append(Answer(Cause.of_event(recorded), desk.bundle(books, operator, recorded, fact)))
            continue
        closes = (fact.table, fact.round_no) if type(fact) is RoundSettled else None
        posted = post(books, fact)
        left_over = desk.left_over(books, recorded, fact, posted)
        answers.append(Answer(Cause.of_event(recorded), [*posted, *left_over], closes))
        if listened:
            notices += _notices(fact, posted)
    await write(tx, books, answers)
    await record(tx, notices)
    await desk.write(tx)


def _notices(fact: Fact, posted: Sequence[Event]) -> list[Notice]:
    if isinstance(fact, RoundSettled):
        return round_notices(fact, posted)
    return correction_notices(fact, posted) if isinstance(fact, RoundResettled) else event_notices(posted)
