import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.statement_view import StatementView
from ...types import UNSET, Response, Unset


def _get_kwargs(
    account: str,
    *,
    since: datetime.datetime | None | Unset = UNSET,
    until: datetime.datetime | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_since: None | str | Unset
    if isinstance(since, Unset):
        json_since = UNSET
    elif isinstance(since, datetime.datetime):
        json_since = since.isoformat()
    else:
        json_since = since
    params["since"] = json_since

    json_until: None | str | Unset
    if isinstance(until, Unset):
        json_until = UNSET
    elif isinstance(until, datetime.datetime):
        json_until = until.isoformat()
    else:
        json_until = until
    params["until"] = json_until

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
        "url": "/v1/accounts/{account}/statement".format(
            account=quote(str(account), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Problem | StatementView | None:
    if response.status_code == 200:
        response_200 = StatementView.from_dict(response.json())

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
) -> Response[Problem | StatementView]:
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
    since: datetime.datetime | None | Unset = UNSET,
    until: datetime.datetime | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> Response[Problem | StatementView]:
    """Account Statement

     Every transfer of a period, ``since`` included and ``until`` not, with the balance after each.

    Without ``until`` it ends with what is there when the first page is asked for; the pages after it,
    by ``after``
    alone, belong to the same period. ``Accept: text/html`` gives the page as a document to print.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        account (str):
        since (datetime.datetime | None | Unset):
        until (datetime.datetime | None | Unset):
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | StatementView]
    """

    kwargs = _get_kwargs(
        account=account,
        since=since,
        until=until,
        after=after,
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
    since: datetime.datetime | None | Unset = UNSET,
    until: datetime.datetime | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> Problem | StatementView | None:
    """Account Statement

     Every transfer of a period, ``since`` included and ``until`` not, with the balance after each.

    Without ``until`` it ends with what is there when the first page is asked for; the pages after it,
    by ``after``
    alone, belong to the same period. ``Accept: text/html`` gives the page as a document to print.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        account (str):
        since (datetime.datetime | None | Unset):
        until (datetime.datetime | None | Unset):
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | StatementView
    """

    return sync_detailed(
        account=account,
        client=client,
        since=since,
        until=until,
        after=after,
        limit=limit,
    ).parsed


async def asyncio_detailed(
    account: str,
    *,
    client: AuthenticatedClient,
    since: datetime.datetime | None | Unset = UNSET,
    until: datetime.datetime | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> Response[Problem | StatementView]:
    """Account Statement

     Every transfer of a period, ``since`` included and ``until`` not, with the balance after each.

    Without ``until`` it ends with what is there when the first page is asked for; the pages after it,
    by ``after``
    alone, belong to the same period. ``Accept: text/html`` gives the page as a document to print.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        account (str):
        since (datetime.datetime | None | Unset):
        until (datetime.datetime | None | Unset):
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | StatementView]
    """

    kwargs = _get_kwargs(
        account=account,
        since=since,
        until=until,
        after=after,
        limit=limit,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    account: str,
    *,
    client: AuthenticatedClient,
    since: datetime.datetime | None | Unset = UNSET,
    until: datetime.datetime | None | Unset = UNSET,
    after: None | str | Unset = UNSET,
    limit: int | Unset = 100,
) -> Problem | StatementView | None:
    """Account Statement

     Every transfer of a period, ``since`` included and ``until`` not, with the balance after each.

    Without ``until`` it ends with what is there when the first page is asked for; the pages after it,
    by ``after``
    alone, belong to the same period. ``Accept: text/html`` gives the page as a document to print.

    Roles: cashier, platform, floorperson, auditor, operations.

    Args:
        account (str):
        since (datetime.datetime | None | Unset):
        until (datetime.datetime | None | Unset):
        after (None | str | Unset): the `next` of the page before
        limit (int | Unset): rows of one page Default: 100.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | StatementView
    """

    return (
        await asyncio_detailed(
            account=account,
            client=client,
            since=since,
            until=until,
            after=after,
            limit=limit,
        )
    ).parsed
