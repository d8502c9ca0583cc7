-- Balances are the owner's to write: the ledger's triggers run as the owner, and the service's role has no right to.

ALTER FUNCTION move_posted() SECURITY DEFINER;
ALTER FUNCTION move_pending() SECURITY DEFINER;
