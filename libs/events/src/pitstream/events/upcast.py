"""Events of earlier versions, lifted to today's when they are read: one pure function a step, v to v+1.

Stored bytes are never rewritten. What an old event did not say, because nothing else was possible then, is said here
once, so that no reader needs to know how the contract grew. A field that only some event can give a meaning (a carry
over its meter's own rate, the money of a hit under the first policy) stays absent, and its reader says what that means.

A change that cannot be a new optional field is a new message in a new package (``rounds.v2``): its step then takes the
event of the old package and returns the new one's.
"""

from collections.abc import Callable, Mapping, Sequence

from pitstream.events.currencies import ISO_4217
from pitstream.events.model import Event
from pitstream.events.progressives import NetworkOpened
from pitstream.events.wallet import AccountOpened

Step = Callable[[Event], Event]
"""What an event of one version says in the words of the next; an event that says it already comes back as it is."""


def account_opened_2(event: Event) -> Event:
    """Before scales were told, every currency had the decimal places of ISO 4217, or two."""
    if isinstance(event, AccountOpened) and event.scale is None:
        return event.model_copy(update={"scale": ISO_4217.get(event.currency, 2)})
    return event


def network_opened_2(event: Event) -> Event:
    """Before there were policies, hits close together were locked one after the other."""
    if isinstance(event, NetworkOpened) and event.policy is None:
        return event.model_copy(update={"policy": "sequential"})
    return event


STEPS: Mapping[type[Event], Sequence[Step]] = {
    AccountOpened: (account_opened_2,),
    NetworkOpened: (network_opened_2,),
}
"""By the class that the bytes decode to, its steps from the oldest version on."""


def upcast(event: Event, steps: Mapping[type[Event], Sequence[Step]] = STEPS) -> Event:
    """The event in today's version; most are it already."""
    for step in steps.get(type(event), ()):
        after = step(event)
        if type(after) is not type(event):
            return upcast(after, steps)  # its further steps are those of its new class
        event = after
    return event
