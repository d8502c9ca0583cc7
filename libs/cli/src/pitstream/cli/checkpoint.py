"""``pitstream checkpoint``: the heads of all chains, signed, as they are at this moment."""

import asyncio
from json import dumps
from pathlib import Path
from typing import Annotated

import asyncpg
import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pitstream.cli.archive import SigningKey, signer_of
from pitstream.cli.options import DataDir, Json, Name, UnusableError, plainly
from pitstream.cli.sources import postgres_of
from pitstream.runtime.checkpoints import Checkpoint, CheckpointError, take_checkpoint
from pitstream.runtime.postgres import PostgresRefusedError, connected
from pitstream.runtime.settings import TOPIC_SOURCES


def checkpoint(
    out: Annotated[
        Path, typer.Option(help="Where to: best an archive's folder, which it then proves.", file_okay=False)
    ],
    key: SigningKey = None,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Take a checkpoint of every topic: the last event of each stream that changed since the checkpoint before, signed.

    Kept elsewhere, it proves later that no event up to now was changed, put in or taken away. A service takes its own
    now and then, where PITSTREAM_<SERVICE>_CHECKPOINT_KEY and _DIR are set.

    Exit code: 0 it is taken, 2 it could not be carried out.
    """
    with plainly():
        signer = signer_of(key)
        if signer is None:
            raise UnusableError("key: was not given; a checkpoint is signed, `pitstream keys new` makes a key")
        taken = asyncio.run(_taken(postgres_of(name=name, data_dir=data_dir), out, signer))
    if json:
        said = {
            topic: one and {**one.said.model_dump(mode="json"), "sha256": one.sha256} for topic, one in taken.items()
        }
        typer.echo(dumps(said, indent=2))
        return
    for topic, one in taken.items():
        what = "nothing happened since the last one"
        if one is not None:
            what = f"number {one.said.place}: {one.said.heads:,} heads, {one.said.events:,} events, {one.sha256}"
        typer.echo(f"{topic:<16} {what}")


async def _taken(postgres: str, out: Path, signer: Ed25519PrivateKey) -> dict[str, Checkpoint | None]:
    try:
        connection = await connected(postgres, timeout=10)
    except PostgresRefusedError as error:
        raise UnusableError(str(error)) from error
    try:
        return {topic: await take_checkpoint(connection, topic, out, signer) for topic in TOPIC_SOURCES}
    except (CheckpointError, asyncpg.PostgresError) as error:
        raise UnusableError(str(error)) from error
    finally:
        await connection.close()
