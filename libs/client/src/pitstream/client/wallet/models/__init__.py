"""Contains all the data models used in inputs/outputs"""

from .account_events_response_200_item import AccountEventsResponse200Item
from .account_view import AccountView
from .accounts_view import AccountsView
from .amount_body import AmountBody
from .capture_body import CaptureBody
from .deliveries_view import DeliveriesView
from .delivery_view import DeliveryView
from .delivery_view_state import DeliveryViewState
from .fault import Fault
from .hold_body import HoldBody
from .hold_view import HoldView
from .hold_view_state import HoldViewState
from .holds_view import HoldsView
from .list_accounts_kind_type_0 import ListAccountsKindType0
from .list_deliveries_state_type_0 import ListDeliveriesStateType0
from .list_holds_state_type_0 import ListHoldsStateType0
from .moved_view import MovedView
from .new_webhook_view import NewWebhookView
from .posting_view import PostingView
from .posting_view_kind import PostingViewKind
from .postings_page import PostingsPage
from .postings_view import PostingsView
from .problem import Problem
from .queued_view import QueuedView
from .reversal_body import ReversalBody
from .reversal_view import ReversalView
from .round_name import RoundName
from .rounds_body import RoundsBody
from .statement_line import StatementLine
from .statement_view import StatementView
from .transfer_body import TransferBody
from .webhook_body import WebhookBody
from .webhook_body_kinds_item import WebhookBodyKindsItem
from .webhook_view import WebhookView
from .webhooks_view import WebhooksView

__all__ = (
    "AccountEventsResponse200Item",
    "AccountsView",
    "AccountView",
    "AmountBody",
    "CaptureBody",
    "DeliveriesView",
    "DeliveryView",
    "DeliveryViewState",
    "Fault",
    "HoldBody",
    "HoldsView",
    "HoldView",
    "HoldViewState",
    "ListAccountsKindType0",
    "ListDeliveriesStateType0",
    "ListHoldsStateType0",
    "MovedView",
    "NewWebhookView",
    "PostingsPage",
    "PostingsView",
    "PostingView",
    "PostingViewKind",
    "Problem",
    "QueuedView",
    "ReversalBody",
    "ReversalView",
    "RoundName",
    "RoundsBody",
    "StatementLine",
    "StatementView",
    "TransferBody",
    "WebhookBody",
    "WebhookBodyKindsItem",
    "WebhooksView",
    "WebhookView",
)
