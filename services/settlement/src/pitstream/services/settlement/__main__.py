"""``python -m pitstream.services.settlement`` runs the service."""

from pitstream.services.settlement.app import build

if __name__ == "__main__":
    build().run()
