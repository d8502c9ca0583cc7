from typing import Literal

HoldViewState = Literal["captured", "expired", "held", "voided"]

HOLD_VIEW_STATE_VALUES: set[HoldViewState] = {
    "captured",
    "expired",
    "held",
    "voided",
}


def check_hold_view_state(value: str) -> HoldViewState:
    if value in HOLD_VIEW_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {HOLD_VIEW_STATE_VALUES!r}")
