"""Method: pure; a service's settings from an environment, right and wrong."""

from typing import Any

import pytest
from pydantic import ValidationError


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Any:
    def setting(**values: str) -> None:
        for name in ("PITSTREAM_KAFKA", "PITSTREAM_POSTGRES"):
            monkeypatch.delenv(name, raising=False)
        for name, value in values.items():
            monkeypatch.setenv(name, value)

    return setting


def test_addresses_are_shared_and_the_rest_has_the_services_prefix(toy: Any, environment: Any) -> None:
    environment(
        PITSTREAM_KAFKA="127.0.0.1:9092", PITSTREAM_POSTGRES="postgresql://x", PITSTREAM_TOY_TABLE_PORT="7101", PORT="9"
    )
    settings = toy.ToyTableSettings()
    assert (settings.kafka, settings.postgres, settings.port) == ("127.0.0.1:9092", "postgresql://x", 7101)
    assert toy.ToyWalletSettings().port == 0
    with pytest.raises(ValidationError, match="frozen"):
        settings.port = 1


def test_every_fault_is_told_at_once(toy: Any, environment: Any) -> None:
    environment(PITSTREAM_TOY_TABLE_PORT="70000", PITSTREAM_TOY_TABLE_LOG_LEVEL="loud")
    with pytest.raises(ValidationError) as faults:
        toy.ToyTableSettings()
    assert [fault["loc"] for fault in faults.value.errors()] == [
        ("PITSTREAM_KAFKA",),
        ("PITSTREAM_POSTGRES",),
        ("port",),
        ("log_level",),
    ]
