"""An operator's own wallet: a server of its own with a ledger of its own, as a casino platform would run it.

It knows nothing of the other packages here: what it does is what ``docs/seamless.md`` asks of an operator. By default
it behaves well; ``faults`` makes it as bad as networks and programs are. ``python -m pitstream.operator --help``.
"""
