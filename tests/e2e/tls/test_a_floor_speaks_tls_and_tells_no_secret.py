"""Method: all services run on a Kafka and a PostgreSQL that let in nobody without TLS and a password, each as the user
that it is in production, with its rights and no others; an evening is played, to the cent.

Then every secret that the services were given, or handed out, is used rightly and wrongly over real HTTP; and all that
the services ever told is searched for each of them: log lines, exported spans, metrics, every record of every topic,
dead letters among them, every row of every table, every answer that refuses. That comes last: it leaves a dead letter.
"""

import asyncio
import base64
import json
import os
import secrets
import uuid
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

import aiohttp
import asyncpg
import jwt
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pitstream.cli.addresses import SERVICES
from pitstream.cli.credentials import KEYS_FILE, SESSION_KEY_FILE, STAFF, find_passwords
from pitstream.runtime.settings import DEAD_LETTERS_TOPIC, TOPIC_SOURCES

pytestmark = pytest.mark.stack

Books = Callable[[Sequence[str]], dict[str, Any]]
OnDay = Callable[[Sequence[str], str], list[str]]
RESULTS = ("players", "totals", "meters", "rounds")
GUESS = f"pitkey_{secrets.token_urlsafe(32)}"
GUESSED_PASSWORD = f"guess-{secrets.token_hex(12)}"
FOREIGN_TOKEN = jwt.encode({"sub": "mallory", "iss": "https://nobody.example"}, Ed25519PrivateKey.generate(), "EdDSA")
WAIT_S = 120


def test_rounds_are_dealt_settled_and_posted(floor: Any, evening_small: list[str], books_of: Books):
    rounds = evening_small[188:192] + evening_small[216:220]
    played = floor.platform.feed(rounds)
    assert {name: played[name] for name in RESULTS} == books_of(rounds)
    assert json.loads(floor.platform.asked("ledger", "check", "--json"))["ok"]
    assert floor.platform.dead_letters() == []


async def test_every_connection_to_postgresql_is_tls(floor: Any, secured: Any):
    looking = await asyncpg.connect(secured.postgres)
    try:
        found = await looking.fetch(
            "SELECT application_name, ssl, version FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
            " WHERE usename = 'pitstream' AND pid <> pg_backend_pid()"
        )
    finally:
        await looking.close()
    wanted = {f"pitstream-{name}" for name in ("table", "settlement", "progressive", "wallet", "ops")}
    assert wanted | {f"{name}-relay" for name in wanted} <= {row["application_name"] for row in found}
    assert {(row["ssl"], row["version"]) for row in found} == {(True, "TLSv1.3")}


def test_the_topics_prove_themselves_to_who_may_only_read(floor: Any, secured: Any, tmp_path: Any):
    auditor = {**secured.at_kafka("pitstream-audit"), "PITSTREAM_POSTGRES": secured.postgres}
    shared = ("audit", "--source", "kafka", "--group", "tls", "--parts", str(tmp_path))
    done = floor.platform.pitstream(*shared, environ=auditor)
    assert (done.returncode, done.stderr) == (0, "")
    whole = floor.platform.pitstream("audit", "--combine", str(tmp_path), "--complete", "--json")
    assert whole.returncode == 0, whole.stdout + whole.stderr
    assert json.loads(whole.stdout)["events"]["rounds.v1"] > 100
    keyless = {**auditor, "PITSTREAM_KAFKA_PASSWORD": "env:NOTHING"}
    refused = floor.platform.pitstream(*shared, environ=keyless)
    assert refused.returncode == 2
    assert refused.stderr == "error: PITSTREAM_KAFKA_PASSWORD: key_ref: was 'env:NOTHING'; nothing can be read there\n"
    assert "NOTHING" not in os.environ


def ways_to_write(secret: str) -> set[bytes]:
    """The secret as it is, and as it stands in an address, in Basic authentication, in hex."""
    raw = secret.encode()
    coded = "".join(f"%{byte:02x}" for byte in raw)
    return {
        raw,
        quote(secret, safe="").encode(),
        coded.encode(),
        base64.b64encode(raw).rstrip(b"="),
        raw.hex().encode(),
    }


class Asking:
    """Asks the services, and keeps every answer that refuses."""

    def __init__(self, floor: Any, session: aiohttp.ClientSession) -> None:
        self.addresses = floor.platform.addresses
        self.session = session
        self.boss = floor.platform.credential
        self.refusals: list[bytes] = []

    async def ask(self, method: str, service: str, path: str, credential: str | None = None, **how: Any) -> Any:
        headers = {"Idempotency-Key": str(uuid.uuid4()), **how.pop("headers", {})}
        headers |= self.boss if credential is None else {"Authorization": credential}
        url = self.addresses.of(service) + path
        async with self.session.request(method, url, headers=headers, allow_redirects=False, **how) as answer:
            body = await answer.read()
            if answer.status >= 400:
                self.refusals.append(body + repr(dict(answer.headers)).encode())
            return answer.status, body, answer


@pytest.fixture(scope="module")
def told(floor: Any, secured: Any, evening_small: list[str], on_day: OnDay) -> dict[str, Any]:
    """All that was told, and all secrets by their names."""
    floor.platform.feed(on_day(evening_small[:3], "2025-10-04"), "--network-suffix=-told")
    return asyncio.run(gathered(floor, secured))


async def gathered(floor: Any, secured: Any) -> dict[str, Any]:
    home, known = floor.platform.home, {}
    known |= {f"the key of {role}": key for role, key in json.loads((home / KEYS_FILE).read_text()).items()}
    known |= {f"the password of {name}": password for name, password in find_passwords(home).items()}
    known |= {f"Kafka's {file.name}": file.read_text().strip() for file in secured.folder.glob("pitstream-*")}
    known["PostgreSQL's password"] = secured.password
    known["the key that signs sessions"] = (home / SESSION_KEY_FILE).read_text().splitlines()[1]
    known["an operator's key"] = secured.operator_key
    known |= {"a guessed key": GUESS, "a guessed password": GUESSED_PASSWORD, "a foreign token": FOREIGN_TOKEN}

    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        asking = Asking(floor, session)
        for service in SERVICES:
            for wrong in (GUESS, FOREIGN_TOKEN):
                assert (await asking.ask("GET", service, "/v1/dead-letters", f"Bearer {wrong}"))[0] == 401
            # Where a secret does not belong: in the address, in another scheme, in a body, in a header of one's own.
            boss = asking.boss["Authorization"].removeprefix("Bearer ")
            assert (await asking.ask("GET", service, f"/v1/dead-letters?key={boss}", f"Basic {GUESS}"))[0] == 401
            status, *_rest = await asking.ask(
                "POST", service, "/v1/nowhere", json={"password": GUESSED_PASSWORD}, headers={"X-Api-Key": GUESS}
            )
            assert status in (404, 405)
        subscription = {"owner": "tls", "url": "http://127.0.0.1:9/", "kinds": ["round.settled"]}
        status, made, _ = await asking.ask("POST", "wallet", "/v1/webhooks", json=subscription)
        assert status == 201
        known["a webhook's secret"] = json.loads(made)["secret"]
        # Signed with it, and sent to where nobody listens.
        sent = f"/v1/webhooks/{json.loads(made)['webhook_id']}/test"
        assert (await asking.ask("POST", "wallet", sent))[0] in (200, 201, 202)
        terms = {
            "mode": "seamless",
            "currency": "USD",
            "base_url": "https://127.0.0.1:9/wallet",
            "key_ref": "env:TLS_OPERATOR_KEY",
        }
        assert (await asking.ask("POST", "wallet", "/v1/operators/tlsop/connect", json=terms))[0] in (200, 201)
        # The key itself in the place of its name.
        wrong_terms = {**terms, "key_ref": secured.operator_key}
        assert (await asking.ask("POST", "wallet", "/v1/operators/tlsop/connect", json=wrong_terms))[0] == 422
        refused_for_its_own_words = asking.refusals.pop()
        assert b"key_ref" in refused_for_its_own_words

        name = STAFF["floorperson"]
        same = {"Sec-Fetch-Site": "same-origin", "Origin": asking.addresses.of("ops")}
        for password, wanted in ((GUESSED_PASSWORD, 401), (known[f"the password of {name}"], 303)):
            form = {"name": name, "password": password, "next": "/money"}
            status, _, answer = await asking.ask("POST", "ops", "/login", "", data=form, headers=same)
            assert status == wanted
        known["a session"] = answer.cookies["pitstream-session"].value
        assert (await asking.ask("GET", "ops", "/v1/floor", f"Bearer {known['a session']}"))[0] == 200
        metrics = [(await asking.ask("GET", service, "/metrics"))[:2] for service in SERVICES]
        assert [status for status, _ in metrics] == [200] * len(SERVICES)
        # A record that no service can take in, and which goes to the dead letters of all that read it.
        async with AIOKafkaProducer(bootstrap_servers=secured.internal) as producer:
            await producer.send_and_wait("rounds.v1", b"no event", key=b"told")

    records = await read_all(secured.internal, dead_letters=4)
    rows = await all_rows(secured.postgres)
    logs = {log.name: log.read_bytes() for log in home.rglob("*.log")}
    assert sum(text.count(b'"started"') for text in logs.values()) == len(SERVICES)
    spans = [b"%s %s" % (one.service.encode(), one.span.SerializeToString()) for one in floor.spans.received]
    told = {
        "logs": [*logs.values()],
        "spans": spans,
        "metrics": [body for _, body in metrics],
        "records": records,
        "rows": rows,
        "refusals": asking.refusals,
    }
    return {"told": told, "known": known}


async def read_all(kafka: str, dead_letters: int) -> list[bytes]:
    """Every record of every topic, with key and headers, once as many dead letters as are awaited have come."""
    async with AIOKafkaConsumer(bootstrap_servers=kafka, group_id=None, auto_offset_reset="earliest") as reader:
        places = [TopicPartition(topic, n) for topic in (*TOPIC_SOURCES, DEAD_LETTERS_TOPIC) for n in range(6)]
        reader.assign(places)
        await reader.seek_to_beginning()
        found: list[Any] = []
        async with asyncio.timeout(WAIT_S):
            while True:
                polled = await reader.getmany(timeout_ms=2_000)
                found += [record for some in polled.values() for record in some]
                if not polled and sum(record.topic == DEAD_LETTERS_TOPIC for record in found) >= dead_letters:
                    break
    assert {record.topic for record in found} == {*TOPIC_SOURCES, DEAD_LETTERS_TOPIC}
    return [b"\n".join([record.key or b"", record.value or b"", repr(record.headers).encode()]) for record in found]


async def all_rows(postgres: str) -> list[bytes]:
    """Every row of every table of every service, as text; bytes in it as bytes too."""
    looking = await asyncpg.connect(postgres)
    try:
        tables = await looking.fetch(
            "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = ANY($1)",
            [*SERVICES],
        )
        found = []
        for table in tables:
            for row in await looking.fetch(f"SELECT * FROM {table['name']}"):
                values = [value if isinstance(value, bytes) else str(value).encode() for value in row.values()]
                found.append(f"{table['name']}: ".encode() + b"\n".join(values))
    finally:
        await looking.close()
    assert len(tables) > 30
    return found


@pytest.mark.parametrize("where", ["logs", "spans", "metrics", "records", "rows", "refusals"])
def test_no_secret_is_in_what_is_told(told: dict[str, Any], where: str):
    texts = told["told"][where]
    assert sum(map(len, texts)) > 1_000
    # Where webhooks are signed from there is no other way than to keep what they are signed with.
    kept = {"a webhook's secret"} if where == "rows" else set()
    found = {
        (name, text[:200])
        for name, secret in told["known"].items()
        for way in ways_to_write(secret)
        for text in texts
        if way in text and name not in kept
    }
    assert found == set()


def test_the_search_would_find_one(told: dict[str, Any]):
    # What is known to be told, searched for in the same way: who played, and what was asked.
    for where, said in {
        "logs": "started",
        "spans": "http.route",
        "metrics": "pitstream",
        "records": "rounds.v1",
    }.items():
        assert any(way in text for way in ways_to_write(said) for text in told["told"][where]), where
    assert len(told["known"]) > 20
