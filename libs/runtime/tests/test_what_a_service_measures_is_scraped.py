"""Method: a toy table and a toy wallet measure themselves over real Kafka and PostgreSQL; the answer to a scrape is
read by Prometheus' own parser."""

import uuid
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from opentelemetry.metrics import Observation
from prometheus_client.parser import text_string_to_metric_families

from pitstream.runtime import metrics, telemetry

pytestmark = pytest.mark.stack


def told(text: str) -> dict[str, list[tuple[dict[str, str], float]]]:
    """Sample -> its labels and values."""
    found: dict[str, list[tuple[dict[str, str], float]]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((dict(sample.labels), sample.value))
    return found


def of(found: dict[str, list[tuple[dict[str, str], float]]], name: str, **labels: str) -> float:
    [value] = [value for has, value in found[name] if has.items() >= labels.items()]
    return value


@pytest.fixture(scope="module")
def exported() -> metrics.Exported:
    """Of this process: a provider is set once."""
    one = metrics.Exported("toy", {})
    one.begin()
    return one


async def test_what_was_done_and_what_waits_is_told_when_a_dead_letter_stops_a_key(
    exported, toy, kafka, postgres, begin_at_the_end, served, until
) -> None:
    name = f"t-{uuid.uuid4().hex[:10]}"
    counted: Counter[str] = Counter()
    wallet = toy.toy_wallet(toy.ToyWallet({"broken"}), kafka=kafka, postgres=postgres)
    await begin_at_the_end(wallet)
    table = toy.toy_table(kafka=kafka, postgres=postgres)
    wallet.exported = exported

    async def scraped(http: Any) -> dict[str, list[tuple[dict[str, str], float]]]:
        async with http.session.get("/metrics") as answer:
            assert (answer.status, answer.content_type) == (200, "text/plain")
            return told(await answer.text())

    async with served(table) as (till, dealer), served(wallet) as (store, http):
        till.counting = lambda events: counted.update(event.type_name for event in events)
        for number, reason in enumerate(("fine", "broken", "after")):
            status, _ = await dealer.post(f"/v1/tables/{name}/close", {"reason": reason}, f"c{number}")
            assert status == 201
        assert (await dealer.post(f"/v1/tables/{name}/close", {"reason": "never"}, "c9"))[0] == 422
        await until(lambda: store.pool.fetchval("SELECT count(*) = 1 FROM parked"), 120)

        async def parked() -> Any:
            found = await scraped(http)
            shown = found.get("pitstream_parked_messages", [])
            return found if ({"messaging_destination_name": "rounds.v1"}, 1.0) in shown else None

        found = await until(parked, 120)

    assert counted == {"pitstream.rounds.v1.TableClosed": 3}, "only what was committed"
    read = {"messaging_destination_name": "rounds.v1", "messaging_consumer_group_name": "pitstream.wallet.rounds.v1"}
    route = {"http_request_method": "POST", "http_route": "/v1/tables/{table}/close", "url_scheme": "http"}
    for status, requests in (("201", 3), ("422", 1)):
        answered = of(found, "http_server_request_duration_seconds_count", http_response_status_code=status, **route)
        assert answered == requests
    assert of(found, "messaging_client_consumed_messages_total", **read) == 3
    assert of(found, "messaging_client_sent_messages_total", messaging_destination_name="rounds.v1") == 3
    assert of(found, "pitstream_consumer_lag", **read) == 0
    assert of(found, "pitstream_dead_letters_waiting", pitstream_reason="handler_failed") == 1
    assert of(found, "pitstream_parked_keys", messaging_destination_name="rounds.v1") == 1
    assert of(found, "messaging_process_duration_seconds_count", error_type="ValueError", **read) >= 1
    assert of(found, "db_client_connection_max") == 10
    assert of(found, "process_memory_usage_bytes") > 10_000_000
    allowed = {
        metric.name.replace(".", "_"): {name.replace(".", "_") for name in metric.attributes}
        for metric in telemetry.METRICS
    }
    for sample, series in found.items():
        [labels] = [labels for name, labels in allowed.items() if sample.startswith(name)] or [{"service_name"}]
        for has, _ in series:
            assert not name_in(has, name), "an id is no label"
            assert has.keys() - {"le"} <= labels or sample == "target_info", (sample, has)


def name_in(labels: dict[str, str], name: str) -> bool:
    return any(name in value for value in labels.values())


async def test_gauges_that_cannot_be_read_are_not_shown(exported) -> None:
    async def fine(_store: Any) -> list[metrics.Reading]:
        return [metrics.Reading(telemetry.OUTBOX, 7)]

    async def away(_store: Any) -> list[metrics.Reading]:
        raise ConnectionError("postgres is away")

    board = metrics.Board([])
    shown = board.observing(telemetry.OUTBOX.name)
    await board.read(SimpleNamespace(), [fine])
    assert shown(None) == [Observation(7, {})]
    await board.read(SimpleNamespace(), [fine, away])
    assert list(shown(None)) == []


async def test_nothing_is_scraped_where_metrics_go_elsewhere(toy, kafka, postgres, begin_at_the_end, served) -> None:
    table = toy.toy_table(kafka=kafka, postgres=postgres)
    table.exported = metrics.Exported("toy", {"OTEL_METRICS_EXPORTER": "none"})
    async with served(table) as (store, http):
        status, problem = await http.get("/metrics")
        assert (status, problem["code"]) == (404, "not_found")
        assert store.counting is None


def test_an_exporter_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(metrics.UnknownExporterError) as refused:
        metrics.Exported("toy", {"OTEL_METRICS_EXPORTER": "prometheus, jaeger"})
    assert str(refused.value) == "OTEL_METRICS_EXPORTER: was jaeger; allowed: prometheus, otlp, none"
