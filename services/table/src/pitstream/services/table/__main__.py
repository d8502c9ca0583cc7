"""``python -m pitstream.services.table`` runs the service."""

from pitstream.services.table.app import build

if __name__ == "__main__":
    build().run()
