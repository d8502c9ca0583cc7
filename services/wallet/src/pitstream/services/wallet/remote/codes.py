"""Codes of what is declined and refused because an operator's own wallet keeps the money."""

DECLINED_BY_OPERATOR = {
    "operator_currency": "the player's operator keeps money in another currency than the table's",
    "operator_refused": "the player's operator said no, for a reason of its own",
    "operator_uncertain": "the player's operator gave no answer to believe; what it may have taken is rolled back",
    "operator_unreachable": "the player's operator was not reached, so it took nothing",
}
"""``reason`` of FundsDeclined, beside those of ``codes.DECLINED``."""
