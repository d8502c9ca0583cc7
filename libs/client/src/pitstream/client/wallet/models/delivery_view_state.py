from typing import Literal

DeliveryViewState = Literal["dead", "delivered", "pending"]

DELIVERY_VIEW_STATE_VALUES: set[DeliveryViewState] = {
    "dead",
    "delivered",
    "pending",
}


def check_delivery_view_state(value: str) -> DeliveryViewState:
    if value in DELIVERY_VIEW_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DELIVERY_VIEW_STATE_VALUES!r}")
