"""What is recorded is derived anew from the events alone, from any source, and compared."""
