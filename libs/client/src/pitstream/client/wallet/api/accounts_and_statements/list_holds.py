from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.holds_view import HoldsView
from ...models.list_holds_state_type_0 import ListHoldsStateType0
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    player: str,
    currency: str,
    *,
    state: ListHoldsStateType0 | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_state: None | str | Unset
    if isinstance(state, Unset):
        json_state = UNSET
    elif isinstance(state, str):
        json_state = state
    else:
        json_state = state
    params["state"] = json_state

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
        "url": "/v1/players/{player}/{currency}/holds".format(
            player=quote(str(player), safe=""),
            currency=quote(str(currency), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> HoldsView | Problem | None:
    if response.status_code == 200:
        response_200 = HoldsView.from_dict(response.json())

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[HoldsView | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    player: str,
    currency: str,
    *,
    client: AuthenticatedClient,
    state: ListHoldsStateType0 | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> Response[HoldsView | Problem]:
    """List Holds

     A player's holds in the order in which they were placed. Wagers' holds are the floor's and not among
    them.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        player (str):
        currency (str):
        state (ListHoldsStateType0 | None | Unset):
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[HoldsView | Problem]
    """

    kwargs = _get_kwargs(
        player=player,
        currency=currency,
        state=state,
        after=after,
        limit=limit,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    player: str,
    currency: str,
    *,
    client: AuthenticatedClient,
    state: ListHoldsStateType0 | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> HoldsView | Problem | None:
    """List Holds

     A player's holds in the order in which they were placed. Wagers' holds are the floor's and not among
    them.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        player (str):
        currency (str):
        state (ListHoldsStateType0 | None | Unset):
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        HoldsView | Problem
    """

    return sync_detailed(
        player=player,
        currency=currency,
        client=client,
        state=state,
        after=after,
        limit=limit,
    ).parsed


async def asyncio_detailed(
    player: str,
    currency: str,
    *,
    client: AuthenticatedClient,
    state: ListHoldsStateType0 | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> Response[HoldsView | Problem]:
    """List Holds

     A player's holds in the order in which they were placed. Wagers' holds are the floor's and not among
    them.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        player (str):
        currency (str):
        state (ListHoldsStateType0 | None | Unset):
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[HoldsView | Problem]
    """

    kwargs = _get_kwargs(
        player=player,
        currency=currency,
        state=state,
        after=after,
        limit=limit,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    player: str,
    currency: str,
    *,
    client: AuthenticatedClient,
    state: ListHoldsStateType0 | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> HoldsView | Problem | None:
    """List Holds

     A player's holds in the order in which they were placed. Wagers' holds are the floor's and not among
    them.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        player (str):
        currency (str):
        state (ListHoldsStateType0 | None | Unset):
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        HoldsView | Problem
    """

    return (
        await asyncio_detailed(
            player=player,
            currency=currency,
            client=client,
            state=state,
            after=after,
            limit=limit,
        )
    ).parsed
