"""A client library for accessing pitstream wallet: accounts and the double-entry ledger"""

from .client import AuthenticatedClient, Client

__all__ = (
    "AuthenticatedClient",
    "Client",
)
