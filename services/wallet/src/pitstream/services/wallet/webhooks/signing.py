"""Signatures as Standard Webhooks has them, so that any of its libraries verifies ours. Pure.

``webhook-signature`` is ``v1,`` and the base64 of HMAC-SHA256 over ``<webhook-id>.<webhook-timestamp>.<body>``; the key
is what ``whsec_…`` stands for in base64.
"""

import base64
import hashlib
import hmac

PREFIX = "whsec_"
SECRET_BYTES = 32


def secret_of(key: bytes) -> str:
    """The secret as its owner is told it.

    >>> secret_of(b"0123456789abcdef0123456789abcdef")
    'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
    """
    return PREFIX + base64.b64encode(key).decode("ascii")


def signature(secret: str, message_id: str, timestamp_s: int, body: bytes) -> str:
    """One signature of one attempt.

    >>> signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
    ...           b'{"test": 2432232314}')
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp_s}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode("ascii")


def headers(secrets: list[str], message_id: str, timestamp_s: int, body: bytes) -> dict[str, str]:
    """What goes with ``body``: signed with every secret that is in force, the newest first."""
    return {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp_s),
        "webhook-signature": " ".join(signature(secret, message_id, timestamp_s, body) for secret in secrets),
    }
