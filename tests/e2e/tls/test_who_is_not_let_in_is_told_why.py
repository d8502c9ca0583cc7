"""Method: what a service does first at a real Kafka and a real PostgreSQL that speak TLS, with one thing wrong in its
settings; it must not be let in, and what it says must name the setting and never the password. Two are whole."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import GroupAuthorizationFailedError, TopicAuthorizationFailedError

from pitstream.cli.testing import employ_boss
from pitstream.runtime.kafka import ensure_topics
from pitstream.runtime.kafka_security import KafkaRefusedError, connection
from pitstream.runtime.postgres import PostgresRefusedError, connected
from pitstream.runtime.settings import TOPIC_SOURCES, group_of

pytestmark = pytest.mark.stack

TOO_LONG_S = 120
SERVICES = (*TOPIC_SOURCES.values(), "ops")


@pytest.fixture
def set_up(secured: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The settings of the wallet, these in the place of the right ones; the address of the brokers by them."""

    def setting(**wrong: str) -> str:
        found = secured.at_kafka("pitstream-wallet") | wrong
        for variable, value in found.items():
            monkeypatch.setenv(variable, value)
        return found["PITSTREAM_KAFKA"]

    return setting


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        pytest.param(
            {"PITSTREAM_KAFKA_PASSWORD": "env:WRONG", "WRONG": "s3cret-and-wrong"},
            "PITSTREAM_KAFKA_USER and PITSTREAM_KAFKA_PASSWORD: {sasl_ssl} does not let 'pitstream-wallet' in",
            id="a wrong password",
        ),
        pytest.param(
            {"PITSTREAM_KAFKA_USER": "pitstream-nobody"},
            "PITSTREAM_KAFKA_USER and PITSTREAM_KAFKA_PASSWORD: {sasl_ssl} does not let 'pitstream-nobody' in",
            id="an unknown user",
        ),
        pytest.param(
            {"PITSTREAM_KAFKA_MECHANISM": "PLAIN"},
            "PITSTREAM_KAFKA_MECHANISM: was PLAIN; {sasl_ssl} has another",
            id="a mechanism that the broker does not have",
        ),
        pytest.param(
            {"PITSTREAM_KAFKA_CA": "{stranger.file}"},
            "PITSTREAM_KAFKA_CA: was {stranger.file}; does not vouch for the certificate of {sasl_ssl}",
            id="a wrong CA",
        ),
        pytest.param(
            {"PITSTREAM_KAFKA_CA": ""},
            "PITSTREAM_KAFKA_CA: was not set, so those whom this machine trusts; does not vouch for the certificate",
            id="no CA",
        ),
        pytest.param(
            {"PITSTREAM_KAFKA": "127.0.0.1:{port}"},
            "PITSTREAM_KAFKA: was 127.0.0.1:{port}; its certificate is for another host",
            id="a wrong host name",
        ),
        pytest.param(
            {
                "PITSTREAM_KAFKA_SECURITY": "plaintext",
                "PITSTREAM_KAFKA_CA": "",
                "PITSTREAM_KAFKA_USER": "",
                "PITSTREAM_KAFKA_PASSWORD": "",
            },
            "PITSTREAM_KAFKA_SECURITY: was plaintext; {sasl_ssl} speaks otherwise",
            id="no TLS",
        ),
        pytest.param(
            {"PITSTREAM_KAFKA_SECURITY": "plaintext"},
            "PITSTREAM_KAFKA_CA: says nothing with PITSTREAM_KAFKA_SECURITY=plaintext",
            id="TLS forgotten beside a user",
        ),
        pytest.param(
            {"PITSTREAM_KAFKA_SECURITY": "sasl_plaintext", "PITSTREAM_KAFKA_CA": ""},
            "PITSTREAM_KAFKA_SECURITY: was sasl_plaintext; {sasl_ssl} speaks otherwise",
            id="a user without TLS",
        ),
        pytest.param(
            {"PITSTREAM_KAFKA_SECURITY": "ssl", "PITSTREAM_KAFKA_USER": "", "PITSTREAM_KAFKA_PASSWORD": ""},
            "PITSTREAM_KAFKA_SECURITY: was ssl; {sasl_ssl} speaks otherwise",
            id="TLS without a user",
        ),
        pytest.param(
            {"PITSTREAM_KAFKA": "{internal}"},
            "PITSTREAM_KAFKA_SECURITY: was sasl_ssl; {internal} speaks otherwise",
            id="a broker without TLS",
        ),
        pytest.param(
            {
                "PITSTREAM_KAFKA": "{ssl}",
                "PITSTREAM_KAFKA_SECURITY": "ssl",
                "PITSTREAM_KAFKA_USER": "",
                "PITSTREAM_KAFKA_PASSWORD": "",
            },
            "PITSTREAM_KAFKA_SECURITY: was ssl; {ssl} speaks otherwise, or asks for a client certificate",
            id="no certificate of our own",
        ),
    ],
)
async def test_kafka_keeps_out_whoever_comes_otherwise(secured: Any, set_up: Any, wrong: dict[str, str], told: str):
    known = {**vars(secured), "port": secured.sasl_ssl.rpartition(":")[2]}
    kafka = set_up(**{name: value.format(**known) for name, value in wrong.items()})
    with pytest.raises(KafkaRefusedError) as refused:
        await ensure_topics(kafka, partitions=6)
    assert str(refused.value).startswith(told.format(**known))
    for secret in ("s3cret-and-wrong", (secured.folder / "pitstream-wallet").read_text().strip()):
        assert secret not in repr(refused.value)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        pytest.param(
            lambda right: right.replace("pitstream:", "pitstream:s3cret-and-wrong"),
            "PITSTREAM_POSTGRES: the server does not let us in: password authentication failed",
            id="a wrong password",
        ),
        pytest.param(
            lambda right: right.replace("/authority/", "/stranger/"),
            "PITSTREAM_POSTGRES: sslrootcert: does not vouch for the server's certificate",
            id="a wrong CA",
        ),
        pytest.param(
            lambda right: right.replace("localhost", "127.0.0.1"),
            "PITSTREAM_POSTGRES: sslmode=verify-full: the server's certificate is for another host",
            id="a wrong host name",
        ),
        pytest.param(
            lambda right: right.replace("verify-full", "disable"),
            "PITSTREAM_POSTGRES: the server does not let us in: no pg_hba.conf entry",
            id="no TLS",
        ),
        pytest.param(
            lambda right: right.replace("verify-full", "always"),
            "PITSTREAM_POSTGRES: `sslmode` parameter must be one of",
            id="a mode that there is not",
        ),
        pytest.param(
            lambda right: right.replace("pitstream:", "pitstream:s3cret/"),
            "PITSTREAM_POSTGRES: is no address; allowed: postgresql://user:password@host:port/database",
            id="a password that parts the address",
        ),
    ],
)
async def test_postgresql_keeps_out_whoever_comes_otherwise(secured: Any, wrong: Any, told: str):
    with pytest.raises(PostgresRefusedError) as refused:
        await connected(wrong(secured.postgres))
    assert str(refused.value).startswith(told)
    for secret in ("s3cret", "%20"):
        assert secret not in repr(refused.value)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        pytest.param("PITSTREAM_KAFKA_CA", "PITSTREAM_KAFKA_CA: was {stranger.file}; does not vouch", id="kafka"),
        pytest.param("PITSTREAM_POSTGRES", "PITSTREAM_POSTGRES: sslrootcert: does not vouch", id="postgresql"),
    ],
)
def test_a_service_that_is_not_let_in_does_not_start(secured: Any, tmp_path: Path, wrong: str, told: str):
    employ_boss(tmp_path)
    right = {
        **secured.at_kafka("pitstream-settlement"),
        "PITSTREAM_POSTGRES": secured.postgres,
        "PITSTREAM_ACCESS": str(tmp_path / "access.toml"),
        "PITSTREAM_SETTLEMENT_START_WAIT_S": "1",
    }
    given = right | {wrong: right[wrong].replace(str(secured.authority.file), str(secured.stranger.file))}
    done = subprocess.run(
        [sys.executable, "-m", "pitstream.services.settlement", "migrate"],
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=TOO_LONG_S,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert told.format(**vars(secured)) in said
    for secret in ("%20", (secured.folder / "pitstream-settlement").read_text().strip()):
        assert secret not in said


def test_what_the_address_leaves_out_may_stand_in_postgresql_s_own_variables(secured: Any, monkeypatch: Any):
    bare = secured.postgres.partition("?")[0]
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    monkeypatch.setenv("PGSSLROOTCERT", str(secured.authority.file))

    async def asked() -> bool:
        connection = await asyncpg.connect(bare)
        try:
            return await connection.fetchval("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        finally:
            await connection.close()

    assert asyncio.run(asked()) is True
    monkeypatch.setenv("PGSSLROOTCERT", str(secured.stranger.file))
    with pytest.raises(OSError, match="certificate verify failed"):
        asyncio.run(asked())


def test_a_certificate_of_our_own_lets_us_in(secured: Any, monkeypatch: Any):
    certificate, key = secured.authority.issue("operations")
    monkeypatch.setenv("PITSTREAM_KAFKA_SECURITY", "ssl")
    monkeypatch.setenv("PITSTREAM_KAFKA_CA", str(secured.authority.file))

    async def brokers() -> int:
        admin = AIOKafkaAdminClient(**connection(secured.ssl))
        await admin.start()
        try:
            return len((await admin.describe_cluster())["brokers"])
        finally:
            await admin.close()

    monkeypatch.setenv("PITSTREAM_KAFKA_CLIENT_CERTIFICATE", str(certificate))
    monkeypatch.setenv("PITSTREAM_KAFKA_CLIENT_KEY", str(key))
    assert asyncio.run(brokers()) == 1
    # One that somebody else signed does not.
    other, its_key = secured.stranger.issue("operations")
    monkeypatch.setenv("PITSTREAM_KAFKA_CLIENT_CERTIFICATE", str(other))
    monkeypatch.setenv("PITSTREAM_KAFKA_CLIENT_KEY", str(its_key))
    with pytest.raises(Exception, match="Unable to bootstrap"):
        asyncio.run(brokers())


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_s_user_cannot_write_what_is_another_s(as_user: Any, service: str):
    producer = AIOKafkaProducer(**connection(as_user(f"pitstream-{service}")), acks="all", enable_idempotence=True)
    await producer.start()
    try:
        for topic, source in TOPIC_SOURCES.items():
            if source != service:
                with pytest.raises(TopicAuthorizationFailedError):
                    await producer.send_and_wait(topic, b"forged", key=b"acme:uth-01")
    finally:
        await producer.stop()


async def test_a_service_s_user_cannot_read_what_it_has_no_need_of(as_user: Any):
    reader = AIOKafkaConsumer(**connection(as_user("pitstream-settlement")), group_id=None)
    await reader.start()
    try:
        reader.assign([TopicPartition("wallet.v1", 0)])
        reader.seek(TopicPartition("wallet.v1", 0), 0)
        with pytest.raises(TopicAuthorizationFailedError):
            await reader.getmany(timeout_ms=10_000)
    finally:
        await reader.stop()


async def test_a_service_s_user_cannot_take_another_s_place_in_a_group(as_user: Any):
    address = as_user("pitstream-settlement")
    member = AIOKafkaConsumer("rounds.v1", **connection(address), group_id=group_of("wallet", "rounds.v1"))
    with pytest.raises(GroupAuthorizationFailedError):
        await member.start()
    await member.stop()
