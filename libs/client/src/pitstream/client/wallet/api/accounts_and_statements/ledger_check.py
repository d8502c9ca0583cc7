from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.ledger_check import LedgerCheck
from ...models.problem import Problem
from ...types import Response


def _get_kwargs() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/ledger/check",
    }

    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> LedgerCheck | Problem | None:
    if response.status_code == 200:
        response_200 = LedgerCheck.from_dict(response.json())

        return response_200

    if response.status_code == 400:
        response_400 = Problem.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

    if response.status_code == 413:
        response_413 = Problem.from_dict(response.json())

        return response_413

    if response.status_code == 429:
        response_429 = Problem.from_dict(response.json())

        return response_429

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[LedgerCheck | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
) -> Response[LedgerCheck | Problem]:
    """Ledger Check

     Is every cent somewhere? In one snapshot of the whole ledger: the balances of each currency add up
    to 0, each
    balance is the sum of its transfers, and what is pending is the sum of the open holds.

    Roles: auditor, operations and the scope `*`.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[LedgerCheck | Problem]
    """

    kwargs = _get_kwargs()

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
) -> LedgerCheck | Problem | None:
    """Ledger Check

     Is every cent somewhere? In one snapshot of the whole ledger: the balances of each currency add up
    to 0, each
    balance is the sum of its transfers, and what is pending is the sum of the open holds.

    Roles: auditor, operations and the scope `*`.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        LedgerCheck | Problem
    """

    return sync_detailed(
        client=client,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
) -> Response[LedgerCheck | Problem]:
    """Ledger Check

     Is every cent somewhere? In one snapshot of the whole ledger: the balances of each currency add up
    to 0, each
    balance is the sum of its transfers, and what is pending is the sum of the open holds.

    Roles: auditor, operations and the scope `*`.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[LedgerCheck | Problem]
    """

    kwargs = _get_kwargs()

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
) -> LedgerCheck | Problem | None:
    """Ledger Check

     Is every cent somewhere? In one snapshot of the whole ledger: the balances of each currency add up
    to 0, each
    balance is the sum of its transfers, and what is pending is the sum of the open holds.

    Roles: auditor, operations and the scope `*`.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        LedgerCheck | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
        )
    ).parsed
