"""Method: pure; a service's settings from an environment, right and wrong."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Any:
    def setting(**values: str) -> None:
        for name in ("PITSTREAM_KAFKA", "PITSTREAM_POSTGRES", "PITSTREAM_ACCESS"):
            monkeypatch.delenv(name, raising=False)
        for name, value in values.items():
            monkeypatch.setenv(name, value)

    return setting


def test_addresses_are_shared_and_the_rest_has_the_services_prefix(
    toy: Any, environment: Any, access_file: Path
) -> None:
    environment(
        PITSTREAM_KAFKA="127.0.0.1:9092",
        PITSTREAM_POSTGRES="postgresql://x",
        PITSTREAM_ACCESS=str(access_file),
        PITSTREAM_TOY_TABLE_PORT="7101",
        PORT="9",
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
        ("PITSTREAM_ACCESS",),
        ("port",),
        ("log_level",),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(None, "access.toml: No such file or directory", id="no file"),
        pytest.param("key = [", "access.toml: not TOML: ", id="no TOML"),
        pytest.param('[[key]]\nname = "a"', "key.0.roles: Field required; key.0.scopes: Field required", id="fields"),
        pytest.param(
            '[[key]]\nname = "a"\nsha256 = "pitkey_x"\nroles = ["boss"]\nscopes = ["Acme!"]',
            "key.0.roles.0: Input should be 'dealer', 'floorperson'",
            id="an unknown role",
        ),
        pytest.param("key = " + "[" * 1500, "access.toml: not TOML: maximum recursion", id="nested without end"),
        pytest.param(f"key = {'9' * 5000}", "access.toml: not TOML: Exceeds the limit", id="5,000 digits"),
        pytest.param('[[key]]\npitkey_x = "a"', "key.0.pitkey_…: Extra inputs", id="a key where a name belongs"),
    ],
)
def test_a_service_without_a_usable_access_file_does_not_start(
    toy: Any, environment: Any, tmp_path: Path, text: str | None, said: str
) -> None:
    file = tmp_path / "access.toml"
    if text is not None:
        file.write_text(text)
    environment(PITSTREAM_KAFKA="k", PITSTREAM_POSTGRES="p", PITSTREAM_ACCESS=str(file))
    with pytest.raises(ValidationError) as faults:
        toy.ToyTableSettings()
    (fault,) = faults.value.errors()
    assert fault["loc"] == ("PITSTREAM_ACCESS",)
    assert said in fault["msg"]
    assert "pitkey_x" not in str(faults.value), "what may be a key is not repeated"
