from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.accounts_view import AccountsView
from ...models.list_accounts_kind_type_0 import ListAccountsKindType0
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    kind: ListAccountsKindType0 | None | Unset = UNSET,
    currency: None | str | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_kind: None | str | Unset
    if isinstance(kind, Unset):
        json_kind = UNSET
    elif isinstance(kind, str):
        json_kind = kind
    else:
        json_kind = kind
    params["kind"] = json_kind

    json_currency: None | str | Unset
    if isinstance(currency, Unset):
        json_currency = UNSET
    else:
        json_currency = currency
    params["currency"] = json_currency

    json_after: None | str | Unset
    if isinstance(after, Unset):
        json_after = UNSET
    else:
        json_after = after
    params["after"] = json_after

    params["limit"] = limit

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/accounts",
        "params": params,
    }

    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> AccountsView | Problem | None:
    if response.status_code == 200:
        response_200 = AccountsView.from_dict(response.json())

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

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if response.status_code == 429:
        response_429 = Problem.from_dict(response.json())

        return response_429

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[AccountsView | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    kind: ListAccountsKindType0 | None | Unset = UNSET,
    currency: None | str | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> Response[AccountsView | Problem]:
    """List Accounts

     The accounts that the caller sees, by name.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        kind (ListAccountsKindType0 | None | Unset):
        currency (None | str | Unset):
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AccountsView | Problem]
    """

    kwargs = _get_kwargs(
        kind=kind,
        currency=currency,
        after=after,
        limit=limit,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    kind: ListAccountsKindType0 | None | Unset = UNSET,
    currency: None | str | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> AccountsView | Problem | None:
    """List Accounts

     The accounts that the caller sees, by name.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        kind (ListAccountsKindType0 | None | Unset):
        currency (None | str | Unset):
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AccountsView | Problem
    """

    return sync_detailed(
        client=client,
        kind=kind,
        currency=currency,
        after=after,
        limit=limit,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    kind: ListAccountsKindType0 | None | Unset = UNSET,
    currency: None | str | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> Response[AccountsView | Problem]:
    """List Accounts

     The accounts that the caller sees, by name.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        kind (ListAccountsKindType0 | None | Unset):
        currency (None | str | Unset):
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AccountsView | Problem]
    """

    kwargs = _get_kwargs(
        kind=kind,
        currency=currency,
        after=after,
        limit=limit,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    kind: ListAccountsKindType0 | None | Unset = UNSET,
    currency: None | str | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> AccountsView | Problem | None:
    """List Accounts

     The accounts that the caller sees, by name.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        kind (ListAccountsKindType0 | None | Unset):
        currency (None | str | Unset):
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AccountsView | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
            kind=kind,
            currency=currency,
            after=after,
            limit=limit,
        )
    ).parsed
