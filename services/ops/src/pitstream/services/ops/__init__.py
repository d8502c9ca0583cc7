"""The ops room: it shows what events say, and decides nothing."""
