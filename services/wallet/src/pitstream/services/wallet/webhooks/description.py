"""The webhooks' part of the API's description."""

from typing import Any

from fastapi import FastAPI

from pitstream.services.wallet.webhooks.bodies import DATA, Body


def describe_webhooks(app: FastAPI) -> None:
    """Put every kind of notice into the API's description."""
    for kind, data in DATA.items():
        app.webhooks.add_api_route(
            kind,
            _received(Body[data]),  # type: ignore[valid-type]  # a class that is known at run time only
            methods=["POST"],
            name=kind,
            operation_id=f"webhook_{kind.replace('.', '_')}",
            status_code=204,
            responses={"4XX": {"description": "Not taken: it is sent again, as after a 5xx, or without an answer."}},
            summary=f"Notice {kind}",
            description=(data.__doc__ or "") + " Sent with the headers of Standard Webhooks; any 2xx takes it.",
            tags=["webhooks"],
        )


def _received(body_type: Any) -> Any:
    def received(body: Any) -> None:
        """What the subscriber does."""

    received.__annotations__["body"] = body_type
    return received
