"""Method: spans are kept in memory; a toy table and a toy wallet work on two rounds' streams over real Kafka."""

import uuid
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from pitstream.events.ids import table_stream
from pitstream.runtime import Cause, telemetry

pytestmark = pytest.mark.stack


@pytest.fixture(scope="session")
def spans() -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


async def test_later_commands_and_other_services_work_in_the_trace_that_the_first_command_began(
    spans, toy, kafka, postgres, begin_at_the_end, applied, until
) -> None:
    name = f"t-{uuid.uuid4().hex[:10]}"
    wallet = toy.toy_wallet(toy.ToyWallet(), kafka=kafka, postgres=postgres)
    await begin_at_the_end(wallet)
    async with toy.toy_table(kafka=kafka, postgres=postgres).running() as table, wallet.running() as store:

        async def command(tx: Any, number: int) -> None:
            folded = await tx.fold(table_stream(name), (), toy.closings)
            await toy.close_table(tx, name, [str(number)], Cause.of_command(f"c{number}", "test", folded.traceparent))

        for number in (1, 2):
            await table.run(lambda tx, n=number: command(tx, n))
        await until(lambda: store.pool.fetchval("SELECT count(*) = 2 FROM events"))
        async with table.transaction() as tx:
            closings = await tx.load(table_stream(name))
        async with store.transaction() as tx:
            openings = await tx.load(f"account/table/{name}/USD")

    contexts = [telemetry.span_context(recorded.envelope.traceparent) for recorded in closings + openings]
    [trace_id] = {context.trace_id for context in contexts if context is not None}
    by_id = {span.context.span_id: span for span in spans.get_finished_spans()}
    first, second, opened_1, opened_2 = (by_id[context.span_id] for context in contexts if context is not None)
    assert [span.name for span in (first, second, opened_1, opened_2)] == [
        "append table", "append table", "process TableClosed", "process TableClosed",
    ]  # fmt: skip
    assert first.parent is None
    assert [span.parent.span_id for span in (second, opened_1, opened_2)] == [
        first.context.span_id, first.context.span_id, second.context.span_id,
    ]  # fmt: skip
    for opened, closing in ((opened_1, first), (opened_2, second)):
        [to_batch] = opened.links
        batch = by_id[to_batch.context.span_id]
        assert (batch.name, batch.attributes["messaging.destination.name"]) == ("process rounds.v1", "rounds.v1")
        assert batch.context.trace_id != trace_id
        assert closing.context.span_id in {link.context.span_id for link in batch.links}
