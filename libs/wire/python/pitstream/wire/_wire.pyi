from typing import ClassVar, final

__all__ = ["CommunityDealt", "Hand", "HandsDealt", "Stake", "WagersPlaced", "read"]

@final
class Stake:
    type_name: ClassVar[str]
    @property
    def wager(self) -> str: ...
    @property
    def stake(self) -> int: ...

@final
class WagersPlaced:
    type_name: ClassVar[str]
    @property
    def seat(self) -> int: ...
    @property
    def player(self) -> str: ...
    @property
    def bundle(self) -> int: ...
    @property
    def stakes(self) -> tuple[Stake, ...]: ...

@final
class Hand:
    type_name: ClassVar[str]
    @property
    def seat(self) -> int: ...
    @property
    def cards(self) -> tuple[str, ...]: ...

@final
class HandsDealt:
    type_name: ClassVar[str]
    @property
    def hands(self) -> tuple[Hand, ...]: ...
    @property
    def dealer(self) -> tuple[str, ...]: ...

@final
class CommunityDealt:
    type_name: ClassVar[str]
    @property
    def cards(self) -> tuple[str, ...]: ...
    @property
    def burned(self) -> tuple[str, ...]: ...

def read(stream: list[bytes], /) -> list[tuple[str, WagersPlaced | HandsDealt | CommunityDealt | bytes]] | None:
    """Of each envelope the event's type, and the event as an object; or its bytes, of the types that are not read here.
    None when anything is not in the plain form in which our own writers write."""
