"""Webhooks: what happened to a platform's players, sent to it, signed, at least once and in each table's order."""
