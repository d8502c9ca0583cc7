"""Asking until there is an answer, without doing anything twice."""

import time
from collections.abc import Callable

import httpx

_PAUSE_S = (0.1, 5.0)  # first and longest
_AGAIN = frozenset({429, 500, 502, 503, 504})


class PersistentTransport(httpx.BaseTransport):
    """Sends a request again while the network or the service fails, for ``patience_s`` at most.

    All may be sent twice: questions, and commands, each of which has its ``Idempotency-Key``. An answer's
    ``Retry-After`` is kept to. When patience ends the last answer stands, or the last error is raised.
    """

    def __init__(
        self,
        *,
        patience_s: float,
        inner: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._patience_s = patience_s
        self._inner = inner or httpx.HTTPTransport()
        self._sleep = sleep
        self._clock = clock

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The first answer that is one, or the last one. Raises httpx.TransportError where none came in time."""
        deadline = self._clock() + self._patience_s
        pause_s, longest_s = _PAUSE_S
        while True:
            response: httpx.Response | None = None
            try:
                response = self._inner.handle_request(request)
                if response.status_code not in _AGAIN:
                    return response
                wait_s = max(pause_s, _retry_after(response))
            except httpx.TransportError:
                if self._clock() + pause_s > deadline:
                    raise
                wait_s = pause_s
            if response is not None:
                if self._clock() + wait_s > deadline:
                    return response
                response.close()
            self._sleep(wait_s)
            pause_s = min(pause_s * 2, longest_s)

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()


def _retry_after(response: httpx.Response) -> float:
    given = response.headers.get("retry-after", "")
    return float(given) if given.isdecimal() else 0.0
