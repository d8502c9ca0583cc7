"""Believing a webhook: signatures as Standard Webhooks has them."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping
from typing import Any

_PREFIX = "whsec_"
_SECONDS = re.compile(r"[0-9]{1,18}")
TOLERANCE_S = 300


class UnverifiedError(Exception):
    """The request does not come from who has the secret, was changed on the way, or is old."""


def verify(secret: str, headers: Mapping[str, str], body: bytes, *, now_s: float | None = None) -> dict[str, Any]:
    """What a webhook tells: ``{"type", "timestamp", "data"}``. Raises UnverifiedError.

    ``body`` is the request's, byte for byte. A notice may come more than once: ``webhook-id`` names it.

    >>> verify("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", {
    ...     "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "Webhook-Timestamp": "1614265330",
    ...     "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ... }, b'{"test": 2432232314}', now_s=1614265330)
    {'test': 2432232314}
    """
    sent = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, timestamp = sent["webhook-id"], sent["webhook-timestamp"]
        signatures = sent["webhook-signature"].split(" ")
    except KeyError as missing:
        raise UnverifiedError(f"{missing.args[0]}: the header is missing") from None
    if not _SECONDS.fullmatch(timestamp):
        raise UnverifiedError(f"webhook-timestamp: was {timestamp!r}; allowed: seconds since 1970")
    now_s = time.time() if now_s is None else now_s
    if abs(now_s - int(timestamp)) > TOLERANCE_S:
        raise UnverifiedError(f"webhook-timestamp: was {timestamp}; allowed: within {TOLERANCE_S} s of {now_s:.0f}")
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        raise UnverifiedError(f"secret: allowed: {_PREFIX} and base64") from None
    # A header may hold any bytes; some servers give them as half characters.
    signed = f"{message_id}.{timestamp}.".encode(errors="surrogateescape") + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    if not any(hmac.compare_digest(expected, one.encode("utf-8", "replace")) for one in signatures):
        raise UnverifiedError("webhook-signature: none of them is that of this body under this secret")
    told: dict[str, Any] = json.loads(body)
    return told
