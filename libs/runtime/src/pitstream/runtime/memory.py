"""How often a process looks for garbage."""

import gc

_YOUNG_MAX = 50_000


def collect_rarely() -> None:
    """Called once all is loaded. What is there stays for good and is not looked through any more, and new objects are
    only once there are many: a batch makes thousands, almost all of which go by themselves. With Python's own 700 the
    ledger spends a tenth of its time on looking."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG_MAX, *gc.get_threshold()[1:])
