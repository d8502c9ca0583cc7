"""For tests: a stack's staff, and ``t.boss``, who has every role everywhere."""

import json
from pathlib import Path

from pitstream.cli.credentials import EVERYWHERE, KEYS_FILE, Keys, employ_staff, find_keys
from pitstream.runtime.access_file import entry_text, new_key
from pitstream.runtime.principal import Role

EVERY_ROLE = "every role"
BOSS = "t.boss"


def employ_boss(home: Path) -> Keys:
    """The keys of a staff in this folder, ``EVERY_ROLE`` among them; its access file is ``access.toml`` there."""
    access, key = employ_staff(home), new_key()
    with access.open("a") as file:
        file.write("\n" + entry_text(BOSS, key, list(Role), [EVERYWHERE]))
    keys = json.loads((home / KEYS_FILE).read_bytes())
    (home / KEYS_FILE).write_text(json.dumps({**keys, EVERY_ROLE: key}))
    return find_keys(home, environ={})
