from typing import Literal

PostingViewKind = Literal["correction", "hand_pay", "seat"]

POSTING_VIEW_KIND_VALUES: set[PostingViewKind] = {
    "correction",
    "hand_pay",
    "seat",
}


def check_posting_view_kind(value: str) -> PostingViewKind:
    if value in POSTING_VIEW_KIND_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {POSTING_VIEW_KIND_VALUES!r}")
