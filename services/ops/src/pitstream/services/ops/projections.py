"""The read models as something that can be made anew from the kept events (``pitstream ops rebuild``)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pitstream.accounting.properties import read_properties
from pitstream.events import Recorded, open_envelope
from pitstream.runtime.rebuild import Connection, Projection
from pitstream.services.ops.projector import TABLES, Projector

_AT_ONCE = 2_000


class _Kept:
    """The events that the tables in use have seen, key by key; how far each was read is kept beside the new tables."""

    async def __call__(self, conn: Connection) -> Sequence[Recorded]:
        await conn.execute(_MEMORY)
        rows = await conn.fetch(_UNREAD, _AT_ONCE)
        upto = {(row["topic"], row["key"]): row["key_sequence"] for row in rows}
        await conn.execute(_READ, [topic for topic, _ in upto], [key for _, key in upto], list(upto.values()))
        return [open_envelope(row["envelope"]) for row in rows]


# Who locks the tables of a projection has waited for every batch that had begun to write them. One that had not will
# write the new tables: its events are not committed, and so were not read here.
_MEMORY = """
CREATE TABLE IF NOT EXISTS reread (
    topic text NOT NULL, key text NOT NULL, last_sequence bigint NOT NULL, PRIMARY KEY (topic, key)
)
"""
_UNREAD = """
SELECT unread.topic, unread.key, unread.key_sequence, unread.envelope
FROM key_positions AS position LEFT JOIN reread USING (topic, key)
CROSS JOIN LATERAL (
    SELECT t.topic, t.key, t.key_sequence, t.envelope FROM told AS t
    WHERE t.topic = position.topic AND t.key = position.key
      AND t.key_sequence > coalesce(reread.last_sequence, 0)
    ORDER BY t.key_sequence LIMIT $1
) AS unread
WHERE position.last_sequence > coalesce(reread.last_sequence, 0)
LIMIT $1
"""
_READ = """
INSERT INTO reread (topic, key, last_sequence) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
ON CONFLICT (topic, key) DO UPDATE SET last_sequence = excluded.last_sequence
"""


def room(properties: Path | None = None) -> Projection:
    """All read models together. ``properties``: the file of the properties' clocks that the service is set to."""
    clocks = read_properties(properties)
    return Projection(
        name="room", tables=TABLES, project=lambda: Projector(clocks, follows=False), feed=_Kept, locked=()
    )


PROJECTIONS: Final = (room(),)
