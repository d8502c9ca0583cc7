"""From a polled batch of facts to the wallet's answers, in the batch's own transaction: lock, load, decide, write."""

from collections.abc import Sequence

from pitstream.events import Recorded
from pitstream.events.settlements import RoundSettled
from pitstream.runtime import Cause, Transaction
from pitstream.services.wallet.ledger import Fact, post
from pitstream.services.wallet.store import Answer, load_for_facts, write


async def post_facts(tx: Transaction, batch: Sequence[Recorded]) -> None:
    """Handler of ``rounds.v1``, ``settlements.v1`` and ``progressives.v1``.

    Raises UnpostableError for a fact that the ledger cannot take as it is: it is put aside, and its key waits.
    """
    heard = [(recorded, recorded.event) for recorded in batch if isinstance(recorded.event, Fact)]
    if not heard:
        return
    books = await load_for_facts(tx, [fact for _, fact in heard])
    answers = []
    for recorded, fact in heard:
        closes = (fact.table, fact.round_no) if isinstance(fact, RoundSettled) else None
        answers.append(Answer(Cause.of_event(recorded), post(books, fact), closes))
    await write(tx, books, answers)
