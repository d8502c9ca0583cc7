from typing import Literal

ListAccountsKindType0 = Literal[
    "cash",
    "drop",
    "handpay",
    "house",
    "meter",
    "operator",
    "overflow",
    "payable",
    "player",
    "pot",
    "receivable",
    "reserve",
    "suspense",
    "table",
    "transit",
]

LIST_ACCOUNTS_KIND_TYPE_0_VALUES: set[ListAccountsKindType0] = {
    "cash",
    "drop",
    "handpay",
    "house",
    "meter",
    "operator",
    "overflow",
    "payable",
    "player",
    "pot",
    "receivable",
    "reserve",
    "suspense",
    "table",
    "transit",
}


def check_list_accounts_kind_type_0(value: str) -> ListAccountsKindType0:
    if value in LIST_ACCOUNTS_KIND_TYPE_0_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LIST_ACCOUNTS_KIND_TYPE_0_VALUES!r}")
