"""Table accounting: what is counted at a table, what its rounds came to, and the gaming day that is closed on both."""
