"""A typed client of the wallet for platforms.

``pitstream.client.wallet`` is generated from the API's description: a function for each operation, a class for each
body and answer. This module adds what a description cannot say: how to keep asking without doing anything twice, and
how to believe a webhook. ::

    from pitstream.client import connect, told
    from pitstream.client.wallet.api.money import deposit_money
    from pitstream.client.wallet.models import AmountBody

    with connect("https://wallet.casino.example", key) as client:
        body = AmountBody(amount=50_000)
        account = told(deposit_money.sync("acme:p001", "USD", client=client, body=body, idempotency_key="pay-in-17"))

Amounts are integers of minor units, of any size.
"""

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

import httpx

from pitstream.client.persistence import PersistentTransport
from pitstream.client.wallet.client import AuthenticatedClient
from pitstream.client.wallet.models import Problem
from pitstream.client.wallet.types import Unset
from pitstream.client.webhooks import UnverifiedError, verify

__all__ = ["PersistentTransport", "RefusedError", "UnverifiedError", "connect", "pages", "told", "verify"]

Answer = TypeVar("Answer")


class RefusedError(Exception):
    """The wallet said no. ``problem.code`` is stable and listed in ``docs/errors.md``."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.code}: {problem.field}: {problem.detail}")
        self.problem = problem
        """As the wallet answered it: code, field, detail."""


def connect(url: str, key: str, *, patience_s: float = 60.0, timeout_s: float = 10.0) -> AuthenticatedClient:
    """A client for the functions of ``pitstream.client.wallet.api``.

    A command is sent under the caller's ``Idempotency-Key`` until it is answered or ``patience_s`` is over;
    ``timeout_s`` bounds one attempt. Keep that id where a restart finds it: a new one is a new command.
    """
    return AuthenticatedClient(
        base_url=url.rstrip("/"),
        token=key,
        timeout=httpx.Timeout(timeout_s),
        httpx_args={"transport": PersistentTransport(patience_s=patience_s)},
    )


def told(answer: Answer | Problem | None) -> Answer:
    """What was asked for. Raises RefusedError when a problem was answered instead."""
    if isinstance(answer, Problem):
        raise RefusedError(answer)
    if answer is None:
        raise TypeError("the answer is none that the API's description knows")
    return answer


class Page(Protocol):
    """A page of any list: ``next_`` is the cursor of the page after it."""

    @property
    def next_(self) -> str | None: ...


SomePage = TypeVar("SomePage", bound=Page)


def pages(ask: Callable[[str | Unset], SomePage | Problem | None], first: str | Unset) -> Iterator[SomePage]:
    """Every page of a list, from the one after the cursor ``first`` (``UNSET``: from the beginning).

    ``ask`` asks for the page after a cursor: ``lambda after: list_accounts.sync(client=client, after=after)``.
    """
    after: str | Unset | None = first
    while after is not None:
        page = told(ask(after))
        yield page
        after = page.next_
