"""Accounts and a double-entry ledger: whether funds are there, and every posting."""
