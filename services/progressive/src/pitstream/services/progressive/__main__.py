"""``python -m pitstream.services.progressive`` runs the service."""

from pitstream.services.progressive.app import build

if __name__ == "__main__":
    build().run()
