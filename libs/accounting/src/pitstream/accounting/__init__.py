"""What a gaming day is and what its wagers came to, for whoever counts them. Pure."""
