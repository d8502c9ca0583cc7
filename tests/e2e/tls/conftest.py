"""A Kafka and a PostgreSQL, both real, that let nobody in without TLS and a password; the users of the broker have the
rights that ``deploy/k8s/overlays/clusters/users.yaml`` gives them in production."""

import asyncio
import datetime
import os
import secrets
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from kafka.admin import (
    ACL,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    KafkaAdminClient,
    ResourcePattern,
    ResourceType,
)

from pitstream.cli import platform as services
from pitstream.cli.receiver import Receiver, receiving
from pitstream.cli.testing import employ_boss
from pitstream.runtime.kafka import ensure_topics
from pitstream.stack import Stack, jars, kafka, postgres
from pitstream.stack.kafka import Broker
from pitstream.stack.postgres import Postgres
from pitstream.stack.process import free_ports, marked, stop, wait_until
from pitstream.stack.processes import services_up

sys.path.insert(0, str(Path(__file__).parent))

from postgres_with_tls import programs

USERS = Path(__file__).parents[3] / "deploy/k8s/overlays/clusters/users.yaml"
PASSWORD = "a /?#[]@:% of every kind"
"""Of PostgreSQL's role: what would part an address stands in it in %-codes."""
READY_S = 120


class Authority:
    """Who vouches for certificates: a key of its own, and the certificates that it signs."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        folder.mkdir()
        self._key = generate_private_key(SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        made = self._begun(self._name, self._key).add_extension(x509.BasicConstraints(True, 0), critical=True)
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        self._certificate = made.add_extension(usage, critical=True).sign(self._key, SHA256())
        self.file = folder / "ca.crt"
        self.file.write_bytes(self._certificate.public_bytes(Encoding.PEM))

    def issue(self, name: str, *alternatives: x509.GeneralName) -> tuple[Path, Path]:
        """A certificate for ``name`` and its private key, in files."""
        key = generate_private_key(SECP256R1())
        made = self._begun(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), key)
        if alternatives:
            made = made.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        made = made.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False
        )
        certificate, private = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        certificate.write_bytes(made.sign(self._key, SHA256()).public_bytes(Encoding.PEM))
        private.touch(mode=0o600)
        private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return certificate, private

    def _begun(self, name: x509.Name, key: EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        serial, hour = x509.random_serial_number(), datetime.timedelta(hours=1)
        made = x509.CertificateBuilder(self._name, name, key.public_key(), serial, now - hour, now + 24 * hour)
        return made.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)


@dataclass(frozen=True)
class Secured:
    """Where the two are, and what it takes to be let in. Their certificates are for ``localhost``, not its number."""

    folder: Path
    authority: Authority
    stranger: Authority
    """Who vouches for nobody here."""
    internal: str
    """The broker's own listener, which the tests look in by."""
    sasl_ssl: str
    ssl: str
    """Asks for a certificate of the client's (mutual TLS)."""
    postgres: str
    password: str
    """Of PostgreSQL's role."""
    operator_key: str
    """What an operator's wallet signs with; the wallet service finds it in its environment, as TLS_OPERATOR_KEY."""

    def at_kafka(self, user: str) -> dict[str, str]:
        """The settings of a process that speaks to Kafka as ``user``."""
        return {
            "PITSTREAM_KAFKA": self.sasl_ssl,
            "PITSTREAM_KAFKA_SECURITY": "sasl_ssl",
            "PITSTREAM_KAFKA_CA": str(self.authority.file),
            "PITSTREAM_KAFKA_USER": user,
            "PITSTREAM_KAFKA_PASSWORD": f"file:{self.folder / user}",
        }


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    folder = tmp_path_factory.mktemp("secured")
    authority, stranger = Authority(folder / "authority", "ours"), Authority(folder / "stranger", "a stranger")
    certificate, key = authority.issue("localhost", x509.DNSName("localhost"))
    users: dict[str, list[dict[str, Any]]] = {
        one["metadata"]["name"]: one["spec"]["authorization"]["acls"] for one in yaml.safe_load_all(USERS.read_text())
    }
    passwords = {name: secrets.token_hex(16) for name in users}
    for name, password in passwords.items():
        (folder / name).write_text(password + "\n")
    with _kafka(folder, authority, certificate, key, passwords) as ports, _postgres(folder, certificate, key) as port:
        internal, sasl_ssl, ssl = ports
        asyncio.run(ensure_topics(f"127.0.0.1:{internal}", partitions=6))
        _grant(f"127.0.0.1:{internal}", users)
        quoted = "".join(f"%{byte:02x}" for byte in PASSWORD.encode())
        yield Secured(
            folder=folder,
            authority=authority,
            stranger=stranger,
            internal=f"127.0.0.1:{internal}",
            sasl_ssl=f"localhost:{sasl_ssl}",
            ssl=f"localhost:{ssl}",
            postgres=f"postgresql://pitstream:{quoted}@localhost:{port}/pitstream"
            f"?sslmode=verify-full&sslrootcert={authority.file}",
            password=PASSWORD,
            operator_key=secrets.token_hex(24),
        )


@contextmanager
def _kafka(
    folder: Path, authority: Authority, certificate: Path, key: Path, users: Mapping[str, str]
) -> Iterator[tuple[int, int, int]]:
    jars.install()
    port, controller, sasl_ssl, ssl = free_ports(4)
    broker = Broker(node=1, port=port, controller_port=controller)
    # Kafka takes a certificate and its key in one PEM file.
    store = folder / "broker.pem"
    store.touch(mode=0o600)
    store.write_bytes(key.read_bytes() + certificate.read_bytes())
    broker = kafka.start(
        broker,
        [broker],
        folder,
        users=users,
        further={
            "listeners": f"PLAINTEXT://{broker.address},CONTROLLER://127.0.0.1:{controller},"
            f"SASL_SSL://127.0.0.1:{sasl_ssl},SSL://127.0.0.1:{ssl}",
            "advertised.listeners": f"PLAINTEXT://{broker.address},SASL_SSL://localhost:{sasl_ssl},SSL://localhost:{ssl}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(store),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(authority.file),
            "listener.name.ssl.ssl.client.auth": "required",
            "sasl.enabled.mechanisms": "SCRAM-SHA-512",
            "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": (
                "org.apache.kafka.common.security.scram.ScramLoginModule required;"
            ),
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            # Those of the listener that only this machine's own tests know.
            "super.users": "User:ANONYMOUS",
        },
    )
    try:
        assert wait_until(broker.is_ready, READY_S), kafka.why(broker, folder)
        yield port, sasl_ssl, ssl
    finally:
        stop(marked(broker.mark(folder)), sig=signal.SIGTERM, grace_s=20)


def _grant(address: str, users: Mapping[str, list[dict[str, Any]]]) -> None:
    patterns = {"literal": ACLResourcePatternType.LITERAL, "prefix": ACLResourcePatternType.PREFIXED}
    admin = KafkaAdminClient(bootstrap_servers=address)
    try:
        admin.create_acls(
            [
                ACL(
                    principal=f"User:{name}",
                    host="*",
                    operation=ACLOperation[operation.upper()],
                    permission_type=ACLPermissionType.ALLOW,
                    resource_pattern=ResourcePattern(
                        ResourceType[one["resource"]["type"].upper()],
                        one["resource"]["name"],
                        patterns[one["resource"]["patternType"]],
                    ),
                )
                for name, rights in users.items()
                for one in rights
                for operation in one["operations"]
            ]
        )
    finally:
        admin.close()


@contextmanager
def _postgres(folder: Path, certificate: Path, key: Path) -> Iterator[int]:
    (port,) = free_ports(1)
    server = Postgres(port=port, synced=False)
    data = postgres.folder(folder)
    with pytest.MonkeyPatch.context() as elsewhere:
        with_tls = programs()
        elsewhere.setattr(postgres, "_binaries", lambda: with_tls)
        postgres._create(data, synced=False)
        postgres._carry_out(data, f"ALTER ROLE pitstream PASSWORD '{PASSWORD}'\n")
        # As it is in production: TLS or nothing, and a password that is never sent as it is.
        (data / "pg_hba.conf").write_text("hostssl all pitstream 127.0.0.1/32 scram-sha-256\n")
        for file in (certificate, key):
            shutil.copy(file, data / file.name)
            (data / file.name).chmod(0o600)
            if account := postgres._account():
                os.chown(data / file.name, *account)
        server = postgres.start(
            server,
            folder,
            {"ssl": "on", "ssl_cert_file": data / certificate.name, "ssl_key_file": data / key.name},
        )
    try:
        assert wait_until(lambda: _asks_for_tls(port), READY_S, every_s=0.2), postgres.why(server, folder)
        yield port
    finally:
        stop(marked(server.mark(folder)), sig=signal.SIGINT, grace_s=20)
        postgres.remove(folder)


def _asks_for_tls(port: int) -> bool:
    """It is ready once it says that it wants TLS, and not merely that it is starting up."""

    async def asked() -> bool:
        try:
            await asyncpg.connect(f"postgresql://pitstream:x@127.0.0.1:{port}/pitstream?sslmode=disable", timeout=5)
        except asyncpg.InvalidAuthorizationSpecificationError:
            return True
        except (OSError, asyncpg.PostgresError):
            return False
        raise AssertionError("somebody was let in without TLS")

    return asyncio.run(asked())


@pytest.fixture
def as_user(monkeypatch: pytest.MonkeyPatch, secured: Secured) -> Callable[[str], str]:
    """This process speaks to Kafka as ``user``; the address to do so at."""

    def speaks(user: str) -> str:
        for variable, value in secured.at_kafka(user).items():
            monkeypatch.setenv(variable, value)
        return secured.sasl_ssl

    return speaks


@dataclass(frozen=True)
class Floor:
    """The services on both, and what they tell of themselves."""

    platform: Any
    spans: Receiver


@pytest.fixture(scope="module")
def floor(secured: Secured, platform_class: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """All services, each with its own user: as pods have it, each with an environment of its own. They log all they
    can, are traced, and can be scraped."""
    home = tmp_path_factory.mktemp("floor")
    employ_boss(home)
    stack = Stack(None, kafka=secured.sasl_ssl, postgres=secured.postgres)

    with receiving() as receiver:
        telling = {**receiver.environ, "OTEL_METRICS_EXPORTER": "prometheus", "TLS_OPERATOR_KEY": secured.operator_key}
        telling["PITSTREAM_WALLET_WEBHOOK_NETWORKS"] = "127.0.0.0/8"

        def with_users(specs: Any, **how: Any) -> None:
            told = []
            for spec in specs:
                loud = {f"PITSTREAM_{spec.name.upper()}_LOG_LEVEL": "debug"}
                user = secured.at_kafka(f"pitstream-{spec.name}")
                told.append(spec.model_copy(update={"env": {**spec.env, **user, **loud, **telling}}))
            services_up(told, **how)

        with pytest.MonkeyPatch.context() as own:  # and not for as long as the floor runs: others start theirs
            own.setattr(services, "services_up", with_users)
            addresses = services.start(stack, name="tls", data_dir=home)
        try:
            yield Floor(platform_class(stack, home, addresses), receiver)
        finally:
            services.stop(name="tls", data_dir=home)
