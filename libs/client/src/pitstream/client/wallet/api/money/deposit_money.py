from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.amount_body import AmountBody
from ...models.moved_view import MovedView
from ...models.problem import Problem
from ...types import Response


def _get_kwargs(
    player: str,
    currency: str,
    *,
    body: AmountBody,
    idempotency_key: str,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/players/{player}/{currency}/deposits".format(
            player=quote(str(player), safe=""),
            currency=quote(str(currency), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> MovedView | Problem | None:
    if response.status_code == 201:
        response_201 = MovedView.from_dict(response.json())

        return response_201

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

    if response.status_code == 409:
        response_409 = Problem.from_dict(response.json())

        return response_409

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[MovedView | Problem]:
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
    body: AmountBody,
    idempotency_key: str,
) -> Response[MovedView | Problem]:
    """Deposit Money

     Bring money in from outside the floor; the first deposit opens the account. Answers with the
    account.

    Roles: cashier, platform.

    Args:
        player (str):
        currency (str):
        idempotency_key (str):
        body (AmountBody): Money that moves, in minor units.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[MovedView | Problem]
    """

    kwargs = _get_kwargs(
        player=player,
        currency=currency,
        body=body,
        idempotency_key=idempotency_key,
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
    body: AmountBody,
    idempotency_key: str,
) -> MovedView | Problem | None:
    """Deposit Money

     Bring money in from outside the floor; the first deposit opens the account. Answers with the
    account.

    Roles: cashier, platform.

    Args:
        player (str):
        currency (str):
        idempotency_key (str):
        body (AmountBody): Money that moves, in minor units.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        MovedView | Problem
    """

    return sync_detailed(
        player=player,
        currency=currency,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    player: str,
    currency: str,
    *,
    client: AuthenticatedClient,
    body: AmountBody,
    idempotency_key: str,
) -> Response[MovedView | Problem]:
    """Deposit Money

     Bring money in from outside the floor; the first deposit opens the account. Answers with the
    account.

    Roles: cashier, platform.

    Args:
        player (str):
        currency (str):
        idempotency_key (str):
        body (AmountBody): Money that moves, in minor units.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[MovedView | Problem]
    """

    kwargs = _get_kwargs(
        player=player,
        currency=currency,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    player: str,
    currency: str,
    *,
    client: AuthenticatedClient,
    body: AmountBody,
    idempotency_key: str,
) -> MovedView | Problem | None:
    """Deposit Money

     Bring money in from outside the floor; the first deposit opens the account. Answers with the
    account.

    Roles: cashier, platform.

    Args:
        player (str):
        currency (str):
        idempotency_key (str):
        body (AmountBody): Money that moves, in minor units.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        MovedView | Problem
    """

    return (
        await asyncio_detailed(
            player=player,
            currency=currency,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
