"""The rules: one module a game, paytables as data, pure settlement and the round's own decisions."""
