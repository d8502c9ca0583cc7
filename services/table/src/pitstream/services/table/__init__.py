"""The referee: whether a command is legal now."""
