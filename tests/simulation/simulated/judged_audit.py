"""The audit that users run, on what a run left behind: what it finds there is a fault, of the run or of the audit."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pitstream.archive import WHOLE, StoreSource
from pitstream.audit import Asked
from pitstream.audit import judge as agreed
from pitstream.audit.part import Part
from pitstream.audit.walk import walk

if TYPE_CHECKING:
    from simulated.world import World


async def judge(world: "World") -> list[tuple[str, str]]:
    """Broken promises, and what was found. Nothing is on its way any more when a run is judged."""
    with TemporaryDirectory(prefix="pitstream-simulation-") as folder:
        part = Part(Path(folder) / "part.sqlite")
        async with StoreSource(world.database.address) as source:
            await walk(source, WHOLE, part, Asked())
        part.close()
        report = agreed([part.path], "store", complete=True)
    return [("the audit finds nothing", str(finding)) for finding in report.findings]
