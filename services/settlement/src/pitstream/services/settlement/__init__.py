"""Each wager's outcome, in the rules' order, each line citing its rule."""
