"""Resolve Apache Kafka's jars once and write them, with their SHA-256, to `kafka.lock.toml`.

Run after changing a version here: `python libs/stack/tools/lock_kafka.py`. Users never resolve: they download exactly
what the lock names.
"""

from pathlib import Path

from jgo.env import LockedDependency, LockFile
from jgo.maven import Dependency, MavenContext

KAFKA = "org.apache.kafka:kafka_2.13:jar:4.4.0:compile"
# Kafka's own artifact brings log4j but not the bridge from slf4j to it; without the bridge a broker logs nothing.
# It is added by itself, as resolving both together would let log4j's parent POM decide the version of kafka-clients.
BRIDGE = "org.apache.logging.log4j:log4j-slf4j-impl:jar:2.25.5:runtime"
LOCK = Path(__file__).parents[1] / "src/pitstream/stack/kafka.lock.toml"


def main() -> None:
    context = MavenContext()
    roots, needed = context.resolver.resolve([context.create_dependency(KAFKA)])
    bridge = context.create_dependency(BRIDGE)
    jars: list[Dependency] = [*roots, *(d for d in needed if d.scope in ("compile", "runtime")), bridge]
    bridged = {(d.groupId, d.artifactId): d.version for d in jars}
    if bridged["org.apache.logging.log4j", "log4j-core"] != bridge.version:
        core = bridged["org.apache.logging.log4j", "log4j-core"]
        raise SystemExit(f"BRIDGE: was {bridge.version}; allowed: {core}, the version of log4j that Kafka brings")
    LockFile([LockedDependency.from_dependency(d) for d in jars], environment_name="kafka-4.4.0").save(LOCK)


if __name__ == "__main__":
    main()
