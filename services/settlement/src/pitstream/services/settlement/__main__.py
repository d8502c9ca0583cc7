"""``python -m pitstream.services.settlement`` runs the service; with `migrate`, only what comes before."""

from pitstream.runtime.main import main
from pitstream.services.settlement.app import build

if __name__ == "__main__":
    main(build())
