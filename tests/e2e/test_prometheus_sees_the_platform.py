"""Method: a real Prometheus scrapes the five services with the rules that are shipped; rounds are played while it
looks; every query of every panel is asked, and a record is written that no service can take in."""

import json
import re
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from aiokafka import AIOKafkaProducer

from pitstream.cli.addresses import SERVICES
from pitstream.stack.process import LOOPBACK, free_ports

pytestmark = [pytest.mark.stack, pytest.mark.prometheus]

HERE = Path(__file__).parents[2] / "deploy" / "observability"
OnDay = Callable[[Sequence[str], str], list[str]]


class Prometheus:
    """A running one."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str, **asked: str) -> Any:
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(asked)}", timeout=30) as answer:
            told = json.load(answer)
        assert told["status"] == "success", told
        return told["data"]

    def asked(self, query: str) -> list[Any]:
        """What the query comes to now, without what is no number."""
        found: list[Any] = self.get("query", query=query)["result"]
        return [one for one in found if one["value"][1] != "NaN"]

    def undecodable(self) -> dict[tuple[str, str], float]:
        """By service and topic: what the alert of undecodable dead letters stands at, where it fires."""
        wanted = {"alertname": "DeadLetter", "pitstream_reason": "undecodable"}.items()
        return {
            (one["labels"]["service"], one["labels"]["messaging_destination_name"]): float(one["value"])
            for one in self.get("alerts")["alerts"]
            if one["labels"].items() >= wanted and one["state"] == "firing"
        }


def until(check: Callable[[], Any], what: str, wait_s: float = 120) -> Any:
    """The first truthy answer."""
    deadline = time.monotonic() + wait_s
    while not (found := check()):
        assert time.monotonic() < deadline, f"not within {wait_s} s: {what}"
        time.sleep(0.5)
    return found


@pytest.fixture(scope="module")
def prometheus(platform: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    program = shutil.which("prometheus")
    if program is None:
        pytest.fail("Prometheus is missing: install it (Debian: apt-get install prometheus)")
    home = tmp_path_factory.mktemp("prometheus")
    config = yaml.safe_load((HERE / "prometheus" / "prometheus.yml").read_text())
    (home / "key").write_text(platform.credential["Authorization"].removeprefix("Bearer "))
    (home / "alerts.yaml").write_text((HERE / "prometheus" / "alerts.yaml").read_text())
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s", "scrape_timeout": "1s"}
    [job] = config["scrape_configs"]
    job["authorization"]["credentials_file"] = str(home / "key")
    assert [one["labels"]["service"] for one in job["static_configs"]] == list(SERVICES)
    for one in job["static_configs"]:
        one["targets"] = [urlsplit(platform.addresses.of(one["labels"]["service"])).netloc]
    (home / "prometheus.yml").write_text(yaml.safe_dump(config))
    [port] = free_ports(1)
    with (home / "log").open("w") as log:
        running = subprocess.Popen(
            [
                program, f"--config.file={home / 'prometheus.yml'}", f"--storage.tsdb.path={home / 'data'}",
                f"--web.listen-address={LOOPBACK}:{port}",
            ],
            stdout=log, stderr=log,
        )  # fmt: skip
        try:
            one = Prometheus(f"http://{LOOPBACK}:{port}")

            def up() -> bool:
                assert running.poll() is None, (home / "log").read_text()
                try:
                    return len(one.asked('up{job="pitstream"} == 1')) == len(SERVICES)
                except OSError:
                    return False

            until(up, "every service is scraped")
            yield one
        finally:
            running.terminate()
            running.wait(30)


def queries() -> list[tuple[str, str]]:
    """Panel and query of every dashboard, over as little time as the test has."""
    pages = [json.loads(file.read_text()) for file in sorted((HERE / "grafana" / "dashboards").glob("*.json"))]
    return [
        (f"{page['title']}: {panel['title']}", target["expr"].replace("$__rate_interval", "5m"))
        for page in pages
        for panel in page["panels"]
        for target in panel["targets"]
    ]


def test_the_query_of_every_panel_returns_data_while_rounds_are_played(
    platform: Any, prometheus: Prometheus, evening_small: list[str], on_day: OnDay
) -> None:
    groups = prometheus.get("rules")["groups"]
    assert {rule["name"] for group in groups for rule in group["rules"]} == set(
        re.findall(r"alert: (\w+)", (HERE / "prometheus" / "alerts.yaml").read_text())
    )
    assert all(rule["health"] in ("ok", "unknown") for group in groups for rule in group["rules"])
    rounds = on_day([line for line in evening_small if '"void"' not in line][:4], "2025-11-07")

    def settled() -> float:
        return sum(float(one["value"][1]) for one in prometheus.asked("sum(pitstream_rounds_settled_total)"))

    # Twice, since a rate is between two figures, and the first round of a process makes the first.
    for half in (rounds[:2], rounds[2:]):
        before = settled()
        platform.feed(half)
        until(lambda was=before: settled() >= was + 2, f"the two rounds are counted, after {before}")
    every = queries()

    def missing() -> list[tuple[str, str]]:
        return [(panel, query) for panel, query in every if not prometheus.asked(query)]

    deadline = time.monotonic() + 120
    while (still := missing()) and time.monotonic() < deadline:
        time.sleep(2)
    assert not still
    returned = prometheus.asked("max by (service) (process_memory_usage_bytes)")
    assert {one["metric"]["service"] for one in returned} == set(SERVICES)


async def test_a_record_that_no_service_can_take_in_fires_the_alert_of_dead_letters(
    platform: Any, prometheus: Prometheus
) -> None:
    before = prometheus.undecodable()
    producer = AIOKafkaProducer(bootstrap_servers=platform.stack.kafka, acks="all")
    await producer.start()
    try:
        await producer.send_and_wait("settlements.v1", b"no envelope", key=f"stray-{uuid.uuid4().hex}".encode())
    finally:
        await producer.stop()
    readers = {(service, "settlements.v1") for service in ("progressive", "wallet", "ops")}

    def fired() -> bool:
        now = prometheus.undecodable()
        return all(now.get(reader, 0) > before.get(reader, 0) for reader in readers)

    until(fired, "every reader of the topic has its alert")
