"""``python -m pitstream.services.wallet`` runs the service; with `migrate`, only what comes before."""

from pitstream.runtime.main import main
from pitstream.services.wallet.app import build

if __name__ == "__main__":
    main(build())
