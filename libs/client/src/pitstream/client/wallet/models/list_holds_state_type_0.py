from typing import Literal

ListHoldsStateType0 = Literal["captured", "expired", "held", "voided"]

LIST_HOLDS_STATE_TYPE_0_VALUES: set[ListHoldsStateType0] = {
    "captured",
    "expired",
    "held",
    "voided",
}


def check_list_holds_state_type_0(value: str) -> ListHoldsStateType0:
    if value in LIST_HOLDS_STATE_TYPE_0_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LIST_HOLDS_STATE_TYPE_0_VALUES!r}")
