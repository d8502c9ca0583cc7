"""Every code that the wallet refuses with, and what it means."""

REFUSALS = {
    "unknown_account": "the account was never opened: a player's first deposit opens it",
    "insufficient_funds": "more was asked for than is available, held money left out",
    "unknown_currency": "the currency is not of ISO 4217, and was not added here",
    "amount_out_of_range": "the amount is not 1 or more, or a sum of the account would leave 64 bits",
    "receivable_paid": "nothing of the open item is owed any more",
    "unknown_receivable": "there is no such open item",
    "not_reversible": "the transfer was made by no command, or undid another: it is corrected where it was decided",
    "reversed_already": "the transfer was undone before; a transfer is undone once",
    "unknown_transfer": "there is no such transfer",
    "currency_differs": "the currency has another number of decimal places, for good",
}
"""Answers to commands over HTTP; ``invalid_input``, ``missing_command_id`` and the like are the runtime's."""

DECLINED = {
    "unknown_account": "the player's account in the table's currency was never opened",
    "insufficient_funds": "the whole bundle is more than is available",
    "round_closed": "the round was settled or void before the bet came",
}
"""``reason`` of FundsDeclined."""

UNPOSTABLE = {
    "already_posted": "a transfer or a seat with this id is in the ledger",
    "amount_out_of_range": "a bundle of nothing, or a sum that leaves 64 bits",
    "hand_pay_not_reserved": "the share was never reserved, or with another amount",
    "hit_contradicts_itself": "the meter's amounts before and after do not fit the locked share",
    "hold_differs": "other money is held for this bundle, or another player's",
    "insufficient_funds": "the posting would leave a player or a payable below 0",
    "line_contradicts_itself": "stake, returned and won of a line do not fit its outcome",
    "meter_differs": "the meter and its account in the ledger do not stand at the same amount",
    "not_reversible": "it is not the mirror image of the transfer that it undoes, or that one undid another",
    "pot_differs": "what went into a round's Pot is not what came out of it",
    "prize_not_reserved": "less waits at the table's payable than the prize comes to",
    "reversed_already": "the transfer was undone before",
    "round_posted_already": "the round has a posting from another settlement",
    "stakes_not_held": "a seat is settled for more than was held",
    "unknown_account": "an account that only a deposit or a network opens was never opened",
    "unknown_currency": "nobody has said how many decimal places the currency has",
}
"""A fact with one of these goes to the dead letters and its key waits: UnpostableError."""
