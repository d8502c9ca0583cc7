"""The services of a stack: started under a supervisor, found again by their addresses, stopped."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pitstream.cli.addresses import FILE, SERVICES, Addresses, UnknownAddressError, find, variable
from pitstream.cli.credentials import ACCESS_FILE, employ_staff, find_keys, give_logins
from pitstream.stack import Stack, StackError, home_of
from pitstream.stack.process import LOOPBACK, free_ports, is_free
from pitstream.stack.processes import ServiceSpec, ServiceStatus, services_down, services_status, services_up

_READY_S = 150.0
"""How long all of them may take together: on a machine that others use too, Kafka's groups alone take a minute."""


def start(
    stack: Stack,
    *,
    name: str,
    data_dir: Path | None = None,
    ports: Mapping[str, int] | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Addresses:
    """Start what does not run yet of the services on ``stack``; returns once all are ready.

    ports: service -> port; a service that is not named keeps the port of last time, else takes a free one.

    The environment is passed on, telemetry's and each service's own settings included. Unless ``PITSTREAM_ACCESS`` in
    ``environ`` names an access file, the stack has one of its own, with keys for its staff.

    Raises StackError when a port is taken or a service does not come up.
    """
    home = home_of(name, data_dir)
    running = {service.name for service in services_status(name=name, data_dir=data_dir) if service.pid}
    chosen = _ports(home, ports or {}, running)
    access = Path(environ.get("PITSTREAM_ACCESS") or employ_staff(home))
    # People log in to the ops room where the access file is the stack's own: nobody else's is written to.
    logins = {"PITSTREAM_OPS_SESSION_KEY": str(give_logins(home))} if access == home / ACCESS_FILE else {}
    urls = {service: f"http://{LOOPBACK}:{port}" for service, port in chosen.items()}
    addresses = Addresses(**urls, keys=find_keys(home, environ))
    specs = [
        ServiceSpec(
            name=service,
            argv=(sys.executable, "-m", f"pitstream.services.{service}"),
            env={
                "PITSTREAM_KAFKA": stack.kafka,
                "PITSTREAM_POSTGRES": stack.postgres,
                "PITSTREAM_ACCESS": str(access),
                f"PITSTREAM_{service.upper()}_HOST": LOOPBACK,
                f"PITSTREAM_{service.upper()}_PORT": str(port),
                **(logins | {variable(other): url for other, url in urls.items()} if service == "ops" else {}),
            },
            ready_url=f"{addresses.of(service)}/health/ready",
        )
        for service, port in chosen.items()
    ]
    services_up(specs, name=name, data_dir=data_dir, ready_s=_READY_S)
    new = home / f"{FILE}.new"
    new.write_text(addresses.model_dump_json(indent=2))
    new.replace(home / FILE)  # as a whole: a reader never sees half of it
    return addresses


def stop(*, name: str, data_dir: Path | None = None) -> list[str]:
    """Stop the services; the names of those that ran."""
    return services_down(name=name, data_dir=data_dir)


def status(*, name: str, data_dir: Path | None = None) -> list[tuple[ServiceStatus, str]]:
    """Each service that was started here, as it is now, with its address."""
    try:
        addresses = find(home_of(name, data_dir), environ={})
    except UnknownAddressError:
        return []
    found = services_status(name=name, data_dir=data_dir)
    return [(service, addresses.of(service.name)) for service in found if service.name in SERVICES]


def addresses_of(*, name: str, data_dir: Path | None = None, environ: Mapping[str, str] = os.environ) -> Addresses:
    """Where the services are, for a command that talks to them. Raises UnknownAddressError."""
    return find(home_of(name, data_dir), environ)


def _ports(home: Path, given: Mapping[str, int], running: set[str]) -> dict[str, int]:
    try:
        known = find(home, environ={})
        ports = {service: urlsplit(known.of(service)).port or 0 for service in SERVICES}
    except UnknownAddressError:
        ports = dict.fromkeys(SERVICES, 0)
    for service, port in ports.items():
        wanted = given.get(service, port)
        if wanted == port and service in running:
            continue
        if wanted and not is_free(wanted):
            if service in given:
                raise StackError(
                    f"port of {service}: was {wanted}; allowed: a free port, another process listens there"
                )
            wanted = 0
        ports[service] = wanted
    taken = [port for port in ports.values() if port]
    missing = [service for service, port in ports.items() if not port]
    return ports | dict(zip(missing, free_ports(len(missing), avoid=taken), strict=True))
