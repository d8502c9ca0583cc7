"""Consumers: a polled batch of a topic in one transaction, exactly once."""

from collections.abc import Awaitable, Callable, Sequence

from pitstream.events import Recorded
from pitstream.runtime.store import Transaction

Handler = Callable[[Transaction, Sequence[Recorded]], Awaitable[None]]
"""One polled batch of a topic: fresh events only, each once, in partition order, inside the batch's transaction."""
