"""Whatever is asked of any endpoint, the answer is one that its OpenAPI document tells, and never a fault of
ours.

Method: every operation of every running service is asked by schemathesis what its document allows and what it does not,
half of the time about things that are there. `make fuzz-http` asks far more often than a normal run does.
"""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

pytestmark = pytest.mark.stack

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
SERVICES = ("table", "settlement", "progressive", "wallet", "ops")
EXAMPLES = 3
MANY = int(os.environ.get("PITSTREAM_FUZZ_EXAMPLES", "100"))
"""Of each operation, asked rightly, and as many again asked wrongly."""
NOWHERE = "http://127.0.0.1:9/"
"""Where every address in a body leads: nothing that is made up here may be called."""


@pytest.fixture(scope="module")
def there() -> dict[str, Any]:
    """Names of things that are there, by what a path calls them."""
    return {
        "table": "uth-01",
        "round_no": 1,
        "network": "n1",
        "player": "p1",
        "currency": "USD",
        "account": "player/p1/USD",
        "gaming_day": "2025-05-03",
    }


@pytest.fixture(scope="module")
def session(questioned: Any, there: dict[str, Any]) -> Iterator[requests.Session]:
    with requests.Session() as opened:
        opened.headers.update(questioned.credential)

        def post(service: str, path: str, body: Any) -> None:
            url = questioned.addresses.of(service) + path
            answer = opened.post(url, json=body, headers={"Idempotency-Key": path[-150:]})
            assert answer.status_code < 300, answer.text

        meter = {"meter": "main", "seed": 1_000_000, "amount": 1_000_000, "rate": "1/5"}
        post("progressive", "/v1/networks/n1/open", {"currency": "USD", "meters": [meter]})
        post("wallet", "/v1/players/p1/USD/deposits", {"amount": 1_000_000})
        paytables = {"ante": "A", "blind": "A", "play": "A", "trips": "B"}
        terms = {"game": "ultimate_texas_holdem", "gaming_day": "2025-05-03", "currency": "USD", "paytables": paytables}
        post("table", "/v1/tables/uth-01/open", terms)
        post("table", "/v1/tables/uth-01/rounds", {"round_id": "r1"})
        yield opened


def harmless(value: Any) -> Any:
    """The same body, with no address of somebody else's in it."""
    match value:
        case dict():
            return {
                key: NOWHERE if "url" in str(key) and isinstance(one, str) else harmless(one)
                for key, one in value.items()
            }
        case list():
            return [harmless(one) for one in value]
        case str() if "://" in value:
            return NOWHERE
        case _:
            return value


def answered(case: Any, session: requests.Session) -> requests.Response:
    """The answer, asked for again as long as it cannot be given yet, which on a busy machine takes a while."""
    for _ in range(60):
        response = case.call(session=session, timeout=30)
        if response.status_code != 503:
            break
        time.sleep(int(response.headers["Retry-After"]))
    return response


def faults_of(
    operation: Any, there: dict[str, Any], session: requests.Session, examples: int, *, always_the_same: bool
) -> list[str]:
    """What is wrong with the answers of one operation, each kind once."""
    faults: dict[str, str] = {}

    def ask(case: Any, about_what_is_there: bool) -> None:
        if about_what_is_there:
            case.path_parameters = {
                **case.path_parameters,
                **{k: v for k, v in there.items() if k in case.path_parameters},
            }
        if isinstance(case.query, dict) and isinstance(case.query.get("wait_ms"), int):
            case.query["wait_ms"] = min(case.query["wait_ms"], 1)
        case.body = harmless(case.body)
        response = answered(case, session)
        try:
            case.validate_response(response, checks=CHECKS)
        except schemathesis.checks.FailureGroup as group:
            for failure in group.exceptions:
                faults.setdefault(type(failure).__name__, f"{operation.label}: {failure}\n{case.as_curl_command()}")

    for strategy in operation.get_strategies_from_examples():
        ask_one = settings(
            max_examples=1, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
        )
        ask_one(given(case=strategy, about_what_is_there=st.just(True))(ask))()
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        run = settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=always_the_same,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )(given(case=operation.as_strategy(generation_mode=mode), about_what_is_there=st.booleans())(ask))
        # An operation that takes nothing cannot be asked wrongly.
        with suppress(Unsatisfiable):
            run()
    return list(faults.values())


def check(
    questioned: Any,
    there: dict[str, Any],
    session: requests.Session,
    service: str,
    examples: int,
    *,
    always_the_same: bool,
) -> None:
    load_all_checks()
    url = f"{questioned.addresses.of(service)}/openapi.json"
    schema = schemathesis.openapi.from_url(url, headers=questioned.credential)
    asked, faults = 0, []
    for result in schema.get_all_operations():
        operation = result.ok()
        if "text/event-stream" in str(operation.definition.raw["responses"]):
            continue  # it goes on for as long as somebody listens
        faults += faults_of(operation, there, session, examples, always_the_same=always_the_same)
        asked += 1
    assert asked > 5
    assert not faults, "\n\n".join(faults)


@pytest.mark.parametrize("service", SERVICES)
def test_whatever_is_asked_the_answer_is_one_that_is_documented(questioned, there, session, service):
    check(questioned, there, session, service, EXAMPLES, always_the_same=True)


@pytest.mark.slow
@pytest.mark.parametrize("service", SERVICES)
def test_however_often_it_is_asked(questioned, there, session, service):
    check(questioned, there, session, service, MANY, always_the_same=False)
