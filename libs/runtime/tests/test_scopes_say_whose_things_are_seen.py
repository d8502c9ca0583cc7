"""Scopes by example, and held equal to the patterns that SQL filters lists by, whatever the ids."""

import re
from typing import Any

import pytest
from fastapi import APIRouter, Depends
from hypothesis import given
from hypothesis import strategies as st

from pitstream.events.model import ID_PATTERN
from pitstream.runtime import Principal, Role, Service, allowed
from pitstream.runtime.access_file import SCOPE_PATTERN

words = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,4}", fullmatch=True)
owners = st.one_of(words, st.builds("{}.{}".format, words, words), st.sampled_from(["local", "acme", "acme.north"]))
ids = st.one_of(
    st.builds("{}:{}".format, owners, words), words, st.from_regex(ID_PATTERN, fullmatch=True).filter(str.isascii)
)


def who(*scopes: str) -> Principal:
    return Principal("a", frozenset({Role.AUDITOR}), frozenset(scopes))


@given(scopes=st.lists(owners, max_size=3), resource=ids)
def test_lists_are_filtered_by_what_a_credential_sees_and_nothing_else(scopes: list[str], resource: str):
    principal = who(*scopes)
    patterns = principal.owner_patterns
    assert patterns is not None
    assert any(re.search(pattern, resource) for pattern in patterns) == principal.sees(resource)
    assert who(*scopes, "*").sees(resource)
    assert who(*scopes, "*").owner_patterns is None
    assert all(re.fullmatch(SCOPE_PATTERN, scope) for scope in scopes)


@pytest.mark.parametrize(
    ("scope", "seen", "unseen"),
    [
        pytest.param("acme", "acme:p1 acme.north:t1 acme:a:b", "acme2:p1 p1 Acme:p1 zacme:p1 acme", id="an operator"),
        pytest.param("acme.north", "acme.north:t1", "acme:p1 acme.south:t1 acme.north2:t1 north:t1", id="a property"),
        pytest.param("local", "p1 local:p1 acme", "acme:p1 localx:p1", id="ids without an owner"),
        pytest.param("*", "p1 acme:p1", "", id="everything"),
    ],
)
def test_a_scope_covers_its_owner_and_no_other(scope: str, seen: str, unseen: str):
    assert [one for one in (seen + " " + unseen).split() if who(scope).sees(one)] == seen.split()


@pytest.mark.parametrize(
    ("account", "seen_by"),
    [
        ("player/acme.north:p1/USD", {"acme", "acme.north", "*"}),
        ("table/acme.south:t1/USD", {"acme", "*"}),
        ("meter/acme:n1/main/USD", {"acme", "*"}),
        ("operator/acme/USD", {"acme", "*"}),
        ("operator/acme/07/USD", {"acme", "*"}),
        ("suspense/acme/07/USD", {"acme", "*"}),
        ("cash/acme.north/USD", {"acme", "acme.north", "*"}),
        ("cash/local/USD", {"local", "*"}),
        ("house/acme.north:t1/USD", {"acme", "acme.north", "*"}),
        ("player/p1/USD", {"local", "*"}),
        ("house/USD", {"*"}),
        ("suspense", {"*"}),
        ("", {"*"}),
    ],
)
def test_an_account_is_seen_by_whoever_sees_what_it_is_of(account: str, seen_by: set[str]):
    assert {scope for scope in ("acme", "acme.north", "local", "*") if who(scope).sees_account(account)} == seen_by


DEALER = allowed(Role.DEALER)


def service_with(toy: Any, *paths: str, guard: Any = DEALER, **options: Any) -> Service:
    router = APIRouter()
    for path in paths:

        @router.get(path, dependencies=[Depends(guard)], **options)
        async def asked() -> None: ...

    return Service(toy.ToyTableSettings(kafka="k", postgres="p"), router=router)


def test_a_service_does_not_start_with_a_route_that_names_no_roles(toy: Any):
    with pytest.raises(ValueError, match="/v1/open: has no roles"):
        service_with(toy, "/v1/open", guard=lambda: None)
    with pytest.raises(ValueError, match="/v1/hidden: is left out of the description"):
        service_with(toy, "/v1/hidden", include_in_schema=False)
    with pytest.raises(ValueError, match="operation asked: is there twice"):
        service_with(toy, "/v1/one", "/v1/two")
    with pytest.raises(ValueError, match="roles: was"):
        allowed()
    assert service_with(toy, "/v1/one").app.openapi()["paths"]["/v1/one"]["get"]["operationId"] == "asked"
