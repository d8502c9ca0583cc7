"""Where webhooks may go. A platform names the address, and our network must not be reached through us.

Public addresses over https, anything else only within the networks that the settings allow. The address is judged when
a subscription is made, and again at each attempt for what its name means then: the connection goes to the very address
that was judged.
"""

import asyncio
import errno
import ipaddress
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

from aiohttp.abc import AbstractResolver, ResolveResult

from pitstream.events.refusal import Refusal

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class ForbiddenAddressError(OSError):
    """A name means an address that webhooks may not go to."""


def may_go_to(address: Address, allowed: Sequence[Network]) -> bool:
    """Whether a webhook may be sent to this address.

    >>> inside = (ipaddress.ip_network("10.1.0.0/16"),)
    >>> [may_go_to(ipaddress.ip_address(one), inside)
    ...  for one in ("203.0.112.7", "10.1.2.3", "10.2.0.1", "127.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1")]
    [True, True, False, False, False, False, False]
    """
    mapped = getattr(address, "ipv4_mapped", None)
    if mapped is not None:
        return may_go_to(mapped, allowed)
    if any(address.version == network.version and address in network for network in allowed):
        return True
    return address.is_global and not address.is_multicast


def url_refusal(url: str, allowed: Sequence[Network]) -> Refusal | None:
    """Why no webhook goes to this URL; None when one may. A name is judged when it is looked up.

    >>> url_refusal("https://hooks.acme.example/pitstream", ()) is None
    True
    >>> url_refusal("http://hooks.acme.example/", ()).message
    "was 'http://hooks.acme.example/'; allowed: https"
    """

    def refused(what: str) -> Refusal:
        return Refusal("webhook_address_forbidden", "url", f"was {url[:200]!r}; allowed: {what}")

    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return refused("a URL")
    if parts.scheme not in ("https", "http") or not host:
        return refused("https://host/path")
    if parts.username is not None or parts.password is not None or parts.fragment:
        return refused("a URL without a user, a password and a fragment")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        # A name: http would send what it carries to whoever answers for that name.
        return refused("https") if parts.scheme == "http" else None
    if not may_go_to(address, allowed):
        return refused("a public address, or one in PITSTREAM_WALLET_WEBHOOK_NETWORKS")
    if parts.scheme == "http" and not any(address.version == n.version and address in n for n in allowed):
        return refused("https")
    return None


class GuardedResolver(AbstractResolver):
    """Looks names up, and gives back only addresses that webhooks may go to."""

    def __init__(self, allowed: Sequence[Network]) -> None:
        self._allowed = allowed

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Raises ForbiddenAddressError when nothing is left."""
        found = await asyncio.get_running_loop().getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM)
        good = [
            ResolveResult(
                hostname=host,
                host=str(place[0]),
                port=port,
                family=kind,
                proto=proto,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, proto, _, place in found
            if may_go_to(ipaddress.ip_address(str(place[0])), self._allowed)
        ]
        if not good:
            raise ForbiddenAddressError(errno.EACCES, f"{host} means no address that webhooks may go to")
        return good

    async def close(self) -> None:
        """Nothing is kept open."""
