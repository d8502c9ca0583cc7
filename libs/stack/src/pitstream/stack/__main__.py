"""`python -m pitstream.stack up|status|down`: the same commands as `pitstream stack`."""

from pitstream.stack.cli import app

if __name__ == "__main__":
    app(prog_name="python -m pitstream.stack")
