"""The referee: one command at a time, legal now or refused, and what a round has come to."""
