"""Where webhooks may go. A platform names the address, and our network must not be reached through us.

Public addresses over https, anything else only within the networks that the settings allow. The address is judged when
a subscription is made, again at each attempt for what its name means then, and last where the connection is made: it
goes to no address that was not judged, however the URL wrote it.
"""

import asyncio
import errno
import ipaddress
import socket
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from aiohttp import AddrInfoType
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
    >>> [may_go_to(ipaddress.ip_address(one), inside)
    ...  for one in ("2606:4700::1111", "64:ff9b::7f00:1", "2002:7f00:1::", "::127.0.0.1", "fec0::1")]
    [True, False, False, False, False]
    """
    mapped = getattr(address, "ipv4_mapped", None)
    if mapped is not None:
        return may_go_to(mapped, allowed)
    if _is_in(address, allowed):
        return True
    if address.version == 6 and (address not in _GLOBAL_V6 or _is_in(address, _TUNNELS)):
        return False
    return address.is_global and not address.is_multicast


_GLOBAL_V6 = ipaddress.ip_network("2000::/3")
"""Where public IPv6 addresses are; beyond it are site-local ones, and those that stand for any IPv4 address."""
_TUNNELS = (ipaddress.ip_network("2001::/32"), ipaddress.ip_network("2002::/16"))
"""Teredo and 6to4: these stand for any IPv4 address, too."""


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


def url_refusal(url: str, allowed: Sequence[Network]) -> Refusal | None:
    """Why no webhook goes to this URL; None when one may. A name is judged when it is looked up.

    >>> url_refusal("https://hooks.acme.example/pitstream", ()) is None
    True
    >>> url_refusal("http://hooks.acme.example/", ()).message
    "was 'http://hooks.acme.example/'; allowed: https"
    """

    def refused(what: str) -> Refusal:
        return Refusal("webhook_address_forbidden", "url", f"was {url[:200]!r}; allowed: {what}")

    if not (url.isascii() and url.isprintable() and " " not in url):
        # Other scripts have digits and dots, too, of which an address is made that nobody judged.
        return refused("printable ASCII without blanks; a name in another script as xn--…")
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
    if parts.scheme == "http" and not _is_in(address, allowed):
        return refused("https")
    return None


def guarded_socket(allowed: Sequence[Network]) -> Callable[[AddrInfoType], socket.socket]:
    """What makes the client's sockets. Raises ForbiddenAddressError for an address that webhooks may not go to."""

    def made(place: AddrInfoType) -> socket.socket:
        family, kind, proto, _, where = place
        try:
            address = ipaddress.ip_address(str(where[0]))
        except ValueError:
            raise ForbiddenAddressError(errno.EACCES, f"{where[0]} is no address as it is written") from None
        if not may_go_to(address, allowed):
            raise ForbiddenAddressError(errno.EACCES, f"{address} is no address that webhooks may go to")
        return socket.socket(family, kind, proto)

    return made


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
