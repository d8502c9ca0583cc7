"""Method: pure; the settings of Kafka's security from an environment, right and wrong. Real listeners: tests/tls."""

import datetime
import ssl
from pathlib import Path

import asyncpg
import pytest
from aiokafka.errors import SaslAuthenticationFailed, UnsupportedSaslMechanismError
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from pydantic import ValidationError

from pitstream.runtime.kafka_security import KafkaRefusedError, connection, reason, security
from pitstream.runtime.postgres import PostgresRefusedError, connected
from pitstream.runtime.postgres import reason as reason_of_postgres
from pitstream.runtime.secret import NoKeyError, read_key

PASSWORD = "never-to-be-shown"


@pytest.fixture
def set_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Sets ``PITSTREAM_KAFKA_<NAME>``; ``{}`` in a value is a folder with a CA, a certificate, its key, a password."""
    key = generate_private_key(SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a")])
    now = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(days=1))
    made = made.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    (tmp_path / "ca.crt").write_bytes(made.sign(key, SHA256()).public_bytes(Encoding.PEM))
    (tmp_path / "key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (tmp_path / "password").write_text(PASSWORD + "\n")

    def setting(**values: str) -> None:
        for variable, value in values.items():
            monkeypatch.setenv(f"PITSTREAM_KAFKA_{variable}", value.format(tmp_path))

    return setting


def test_without_a_word_kafka_is_spoken_to_in_clear(set_up):
    set_up(CA="", USER="")
    assert connection("k:1") == {"bootstrap_servers": "k:1", "security_protocol": "PLAINTEXT"}


def test_every_client_is_told_how_to_be_let_in(set_up):
    set_up(SECURITY="sasl_ssl", CA="{}/ca.crt", USER="wallet", PASSWORD="file:{}/password")
    found = connection("k:1,k:2")
    context = found.pop("ssl_context")
    assert found == {
        "bootstrap_servers": "k:1,k:2",
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_plain_username": "wallet",
        "sasl_plain_password": PASSWORD,
    }
    assert (context.check_hostname, context.verify_mode) == (True, ssl.CERT_REQUIRED)
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
    # The CA that is named, and nobody whom the machine trusts beside it.
    assert [one["subject"] for one in context.get_ca_certs()] == [((("commonName", "a"),),)]


def test_a_certificate_of_our_own_is_shown_where_it_is_named(set_up):
    set_up(SECURITY="ssl", CLIENT_CERTIFICATE="{}/ca.crt", CLIENT_KEY="{}/key")
    assert set(connection("k:1")) == {"bootstrap_servers", "security_protocol", "ssl_context"}


FAULTS = [
    pytest.param(
        {"SECURITY": "tls"},
        ["SECURITY: Input should be 'plaintext', 'ssl', 'sasl_plaintext' or 'sasl_ssl'"],
        id="protocol",
    ),
    pytest.param(
        {"USER": "wallet", "PASSWORD": "file:{}/password", "CA": "{}/ca.crt"},
        [
            "CA: says nothing with PITSTREAM_KAFKA_SECURITY=plaintext; allowed: ssl, sasl_ssl",
            "USER: says nothing with PITSTREAM_KAFKA_SECURITY=plaintext; allowed: sasl_ssl, sasl_plaintext",
            "PASSWORD: says nothing with PITSTREAM_KAFKA_SECURITY=plaintext; allowed: sasl_ssl, sasl_plaintext",
        ],
        id="the protocol forgotten",
    ),
    pytest.param({"SECURITY": "ssl", "CA": "{}/none"}, ["CA: was {}/none; holds no certificates"], id="no file"),
    pytest.param({"SECURITY": "ssl", "CA": "{}/key"}, ["CA: was {}/key; holds no certificates"], id="no certificate"),
    pytest.param(
        {"SECURITY": "ssl", "CLIENT_KEY": "{}/key"},
        ["CLIENT_CERTIFICATE and PITSTREAM_KAFKA_CLIENT_KEY: allowed: both, or neither"],
        id="half of a pair",
    ),
    pytest.param(
        {"SECURITY": "ssl", "CLIENT_CERTIFICATE": "{}/ca.crt", "CLIENT_KEY": "{}/password"},
        ["CLIENT_CERTIFICATE and PITSTREAM_KAFKA_CLIENT_KEY: were {}/ca.crt and {}/password; no certificate"],
        id="no key",
    ),
    pytest.param(
        {"SECURITY": "sasl_ssl"},
        ["USER: was not set; sasl_ssl needs it", "PASSWORD: key_ref: is no reference"],
        id="nobody",
    ),
    pytest.param(
        {"SECURITY": "sasl_ssl", "USER": "wallet", "PASSWORD": PASSWORD},
        ["PASSWORD: key_ref: is no reference; allowed: file:/path or env:NAME"],
        id="the password itself",
    ),
    pytest.param(
        {"SECURITY": "sasl_plaintext", "USER": "wallet", "PASSWORD": "file:{}/password", "MECHANISM": "PLAIN"},
        ["MECHANISM: was PLAIN, which sends the password in clear; allowed: SCRAM-SHA-512"],
        id="a password in clear",
    ),
]


@pytest.mark.parametrize(("given", "told"), FAULTS)
def test_every_fault_is_told_by_its_setting_and_ends_the_start(set_up, toy, access_file, tmp_path, given, told):
    set_up(**given)
    with pytest.raises(KafkaRefusedError) as refused:
        connection("k:1")
    with pytest.raises(ValidationError) as faults:
        toy.ToyTableSettings(kafka="k:1", postgres="p", access=str(access_file))
    (fault,) = faults.value.errors()
    for text in (str(refused.value), fault["msg"]):
        for one in told:
            assert f"PITSTREAM_KAFKA_{one.format(tmp_path, tmp_path)}" in text
        assert PASSWORD not in text


def test_a_setting_s_fault_does_not_show_the_settings_beside_it(monkeypatch, toy, access_file):
    monkeypatch.setenv("PITSTREAM_POSTGRES", f"postgresql://u:{PASSWORD}@h/d")
    monkeypatch.setenv("PITSTREAM_ACCESS", str(access_file))
    monkeypatch.delenv("PITSTREAM_KAFKA", raising=False)
    with pytest.raises(ValidationError) as missing:
        toy.ToyTableSettings()
    with pytest.raises(ValidationError) as half:
        toy.ToyTableSettings(kafka="k:1", checkpoint_dir="x")
    for told in (missing, half):
        assert PASSWORD[:6] not in str(told.value)


@pytest.mark.parametrize("reference", [PASSWORD, "", f"vault:{PASSWORD}"])
def test_what_is_no_reference_may_be_the_secret_and_is_not_repeated(reference):
    with pytest.raises(NoKeyError, match="is no reference") as refused:
        read_key(reference)
    assert PASSWORD not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    [
        pytest.param(f"postgresql://wallet:{PASSWORD}/1@127.0.0.1:1/d", id="a slash that is not encoded"),
        pytest.param(f"postgresql://wallet:{PASSWORD}[1@127.0.0.1:1/d", id="a bracket that is not encoded"),
        pytest.param(f"postgresql://wallet:{PASSWORD}@127.0.0.1:port/d", id="a port that is none"),
    ],
)
async def test_an_address_that_cannot_be_read_is_not_repeated(address):
    with pytest.raises(PostgresRefusedError) as refused:
        await connected(address)
    told: BaseException | None = refused.value
    while told is not None:
        assert PASSWORD[:6] not in repr(told)
        told = None if told.__suppress_context__ and told.__cause__ is None else told.__cause__ or told.__context__
    assert str(refused.value).startswith("PITSTREAM_POSTGRES: ")


def test_the_setting_that_may_mend_it_is_named(set_up):
    set_up(SECURITY="sasl_ssl", USER="wallet", PASSWORD="file:{}/password")
    told = security()
    of_another_host = ssl.SSLCertVerificationError()
    of_another_host.verify_code, of_another_host.verify_message = 62, "Hostname mismatch"
    assert reason(of_another_host, "b:1", told).startswith(
        "PITSTREAM_KAFKA: was b:1; its certificate is for another host"
    )
    assert reason(SaslAuthenticationFailed("no"), "b:1", told) == (
        "PITSTREAM_KAFKA_USER and PITSTREAM_KAFKA_PASSWORD: b:1 does not let 'wallet' in with them"
    )
    assert reason(UnsupportedSaslMechanismError("no"), "b:1", told).startswith(
        "PITSTREAM_KAFKA_MECHANISM: was SCRAM-SHA-512"
    )
    assert reason(ConnectionRefusedError(), "b:1", told) == "PITSTREAM_KAFKA: was b:1; nothing answers there"
    assert reason_of_postgres(asyncpg.InvalidPasswordError("no")) == "the server does not let us in: no"
