from typing import Literal

WebhookBodyKindsItem = Literal[
    "hand_pay.paid", "prize.paid", "round.corrected", "round.settled", "transfer.reversed", "webhook.test"
]

WEBHOOK_BODY_KINDS_ITEM_VALUES: set[WebhookBodyKindsItem] = {
    "hand_pay.paid",
    "prize.paid",
    "round.corrected",
    "round.settled",
    "transfer.reversed",
    "webhook.test",
}


def check_webhook_body_kinds_item(value: str) -> WebhookBodyKindsItem:
    if value in WEBHOOK_BODY_KINDS_ITEM_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {WEBHOOK_BODY_KINDS_ITEM_VALUES!r}")
