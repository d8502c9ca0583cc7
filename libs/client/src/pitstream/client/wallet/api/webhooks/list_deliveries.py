from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.deliveries_view import DeliveriesView
from ...models.list_deliveries_state_type_0 import ListDeliveriesStateType0
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    webhook_id: str,
    *,
    state: ListDeliveriesStateType0 | None | Unset = UNSET,
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
        "url": "/v1/webhooks/{webhook_id}/deliveries".format(
            webhook_id=quote(str(webhook_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> DeliveriesView | Problem | None:
    if response.status_code == 200:
        response_200 = DeliveriesView.from_dict(response.json())

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
) -> Response[DeliveriesView | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    webhook_id: str,
    *,
    client: AuthenticatedClient,
    state: ListDeliveriesStateType0 | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> Response[DeliveriesView | Problem]:
    """List Deliveries

     What was sent, waits, or was given up, in the order in which it was written; what arrived is kept
    for a week.

    Roles: platform, operations.

    Args:
        webhook_id (str):
        state (ListDeliveriesStateType0 | None | Unset): `dead`: given up after the last attempt
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DeliveriesView | Problem]
    """

    kwargs = _get_kwargs(
        webhook_id=webhook_id,
        state=state,
        after=after,
        limit=limit,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    webhook_id: str,
    *,
    client: AuthenticatedClient,
    state: ListDeliveriesStateType0 | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> DeliveriesView | Problem | None:
    """List Deliveries

     What was sent, waits, or was given up, in the order in which it was written; what arrived is kept
    for a week.

    Roles: platform, operations.

    Args:
        webhook_id (str):
        state (ListDeliveriesStateType0 | None | Unset): `dead`: given up after the last attempt
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DeliveriesView | Problem
    """

    return sync_detailed(
        webhook_id=webhook_id,
        client=client,
        state=state,
        after=after,
        limit=limit,
    ).parsed


async def asyncio_detailed(
    webhook_id: str,
    *,
    client: AuthenticatedClient,
    state: ListDeliveriesStateType0 | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> Response[DeliveriesView | Problem]:
    """List Deliveries

     What was sent, waits, or was given up, in the order in which it was written; what arrived is kept
    for a week.

    Roles: platform, operations.

    Args:
        webhook_id (str):
        state (ListDeliveriesStateType0 | None | Unset): `dead`: given up after the last attempt
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DeliveriesView | Problem]
    """

    kwargs = _get_kwargs(
        webhook_id=webhook_id,
        state=state,
        after=after,
        limit=limit,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    webhook_id: str,
    *,
    client: AuthenticatedClient,
    state: ListDeliveriesStateType0 | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> DeliveriesView | Problem | None:
    """List Deliveries

     What was sent, waits, or was given up, in the order in which it was written; what arrived is kept
    for a week.

    Roles: platform, operations.

    Args:
        webhook_id (str):
        state (ListDeliveriesStateType0 | None | Unset): `dead`: given up after the last attempt
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DeliveriesView | Problem
    """

    return (
        await asyncio_detailed(
            webhook_id=webhook_id,
            client=client,
            state=state,
            after=after,
            limit=limit,
        )
    ).parsed
