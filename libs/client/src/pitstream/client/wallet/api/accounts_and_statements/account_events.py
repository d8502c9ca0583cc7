from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.account_events_response_200_item import AccountEventsResponse200Item
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    account: str,
    *,
    after_version: int | Unset = 0,
    limit: int | Unset = 1000,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["after_version"] = after_version

    params["limit"] = limit

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/accounts/{account}/events".format(
            account=quote(str(account), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Problem | list[AccountEventsResponse200Item] | None:
    if response.status_code == 200:
        response_200 = []
        _response_200 = response.json()
        for response_200_item_data in _response_200:
            response_200_item = AccountEventsResponse200Item.from_dict(response_200_item_data)

            response_200.append(response_200_item)

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

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

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
) -> Response[Problem | list[AccountEventsResponse200Item]]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    account: str,
    *,
    client: AuthenticatedClient,
    after_version: int | Unset = 0,
    limit: int | Unset = 1000,
) -> Response[Problem | list[AccountEventsResponse200Item]]:
    """Account Events

     The account's own events after a version, with the exact bytes stored: ``limit`` of them at most.
    Those after
    them are asked for by the last one's version, until none comes.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        account (str):
        after_version (int | Unset):  Default: 0.
        limit (int | Unset): rows of one page Default: 1000.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | list[AccountEventsResponse200Item]]
    """

    kwargs = _get_kwargs(
        account=account,
        after_version=after_version,
        limit=limit,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    account: str,
    *,
    client: AuthenticatedClient,
    after_version: int | Unset = 0,
    limit: int | Unset = 1000,
) -> Problem | list[AccountEventsResponse200Item] | None:
    """Account Events

     The account's own events after a version, with the exact bytes stored: ``limit`` of them at most.
    Those after
    them are asked for by the last one's version, until none comes.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        account (str):
        after_version (int | Unset):  Default: 0.
        limit (int | Unset): rows of one page Default: 1000.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | list[AccountEventsResponse200Item]
    """

    return sync_detailed(
        account=account,
        client=client,
        after_version=after_version,
        limit=limit,
    ).parsed


async def asyncio_detailed(
    account: str,
    *,
    client: AuthenticatedClient,
    after_version: int | Unset = 0,
    limit: int | Unset = 1000,
) -> Response[Problem | list[AccountEventsResponse200Item]]:
    """Account Events

     The account's own events after a version, with the exact bytes stored: ``limit`` of them at most.
    Those after
    them are asked for by the last one's version, until none comes.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        account (str):
        after_version (int | Unset):  Default: 0.
        limit (int | Unset): rows of one page Default: 1000.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | list[AccountEventsResponse200Item]]
    """

    kwargs = _get_kwargs(
        account=account,
        after_version=after_version,
        limit=limit,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    account: str,
    *,
    client: AuthenticatedClient,
    after_version: int | Unset = 0,
    limit: int | Unset = 1000,
) -> Problem | list[AccountEventsResponse200Item] | None:
    """Account Events

     The account's own events after a version, with the exact bytes stored: ``limit`` of them at most.
    Those after
    them are asked for by the last one's version, until none comes.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        account (str):
        after_version (int | Unset):  Default: 0.
        limit (int | Unset): rows of one page Default: 1000.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | list[AccountEventsResponse200Item]
    """

    return (
        await asyncio_detailed(
            account=account,
            client=client,
            after_version=after_version,
            limit=limit,
        )
    ).parsed
