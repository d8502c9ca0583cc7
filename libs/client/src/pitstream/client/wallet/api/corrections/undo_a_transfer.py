from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.reversal_body import ReversalBody
from ...models.reversal_view import ReversalView
from ...types import Response


def _get_kwargs(
    transfer_id: str,
    *,
    body: ReversalBody,
    idempotency_key: str,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/transfers/{transfer_id}/reversal".format(
            transfer_id=quote(str(transfer_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Problem | ReversalView | None:
    if response.status_code == 201:
        response_201 = ReversalView.from_dict(response.json())

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


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[Problem | ReversalView]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    transfer_id: str,
    *,
    client: AuthenticatedClient,
    body: ReversalBody,
    idempotency_key: str,
) -> Response[Problem | ReversalView]:
    """Undo A Transfer

     Undo a deposit, a withdrawal, a captured hold or a transfer between players by its mirror image. It
    is undone
    once, whoever asks and under whatever id; money that was spent since does not come back.

    Roles: cashier, platform.

    Args:
        transfer_id (str):
        idempotency_key (str):
        body (ReversalBody): Why, in the words of whoever undoes it; they stay in the events for
            good.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | ReversalView]
    """

    kwargs = _get_kwargs(
        transfer_id=transfer_id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    transfer_id: str,
    *,
    client: AuthenticatedClient,
    body: ReversalBody,
    idempotency_key: str,
) -> Problem | ReversalView | None:
    """Undo A Transfer

     Undo a deposit, a withdrawal, a captured hold or a transfer between players by its mirror image. It
    is undone
    once, whoever asks and under whatever id; money that was spent since does not come back.

    Roles: cashier, platform.

    Args:
        transfer_id (str):
        idempotency_key (str):
        body (ReversalBody): Why, in the words of whoever undoes it; they stay in the events for
            good.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | ReversalView
    """

    return sync_detailed(
        transfer_id=transfer_id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    transfer_id: str,
    *,
    client: AuthenticatedClient,
    body: ReversalBody,
    idempotency_key: str,
) -> Response[Problem | ReversalView]:
    """Undo A Transfer

     Undo a deposit, a withdrawal, a captured hold or a transfer between players by its mirror image. It
    is undone
    once, whoever asks and under whatever id; money that was spent since does not come back.

    Roles: cashier, platform.

    Args:
        transfer_id (str):
        idempotency_key (str):
        body (ReversalBody): Why, in the words of whoever undoes it; they stay in the events for
            good.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | ReversalView]
    """

    kwargs = _get_kwargs(
        transfer_id=transfer_id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    transfer_id: str,
    *,
    client: AuthenticatedClient,
    body: ReversalBody,
    idempotency_key: str,
) -> Problem | ReversalView | None:
    """Undo A Transfer

     Undo a deposit, a withdrawal, a captured hold or a transfer between players by its mirror image. It
    is undone
    once, whoever asks and under whatever id; money that was spent since does not come back.

    Roles: cashier, platform.

    Args:
        transfer_id (str):
        idempotency_key (str):
        body (ReversalBody): Why, in the words of whoever undoes it; they stay in the events for
            good.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | ReversalView
    """

    return (
        await asyncio_detailed(
            transfer_id=transfer_id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
