"""``python -m pitstream.services.ops`` runs the service."""

from pitstream.services.ops.app import build

if __name__ == "__main__":
    build().run()
