"""``python -m pitstream.services.wallet`` runs the service."""

from pitstream.services.wallet.app import build

if __name__ == "__main__":
    build().run()
