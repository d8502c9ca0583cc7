"""``python -m pitstream.services.table`` runs the service; with `migrate`, only what comes before."""

from pitstream.runtime.main import main
from pitstream.services.table.app import build

if __name__ == "__main__":
    main(build())
