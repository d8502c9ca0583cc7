"""What platforms plug into: accounts, money in and out, holds, transfers, statements and results over HTTP."""
