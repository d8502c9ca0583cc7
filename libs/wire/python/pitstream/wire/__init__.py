"""Stored rounds read from their bytes in one go, for those who fold them by the hundreds.

Only the plain form in which our own writers write is read: for everything else ``read`` gives None, and the Protobuf
runtime says what it is. Nothing is checked beyond that form: no bound of the contract, no hash.
"""

from pitstream.wire._wire import CommunityDealt, Hand, HandsDealt, Stake, WagersPlaced, read

__all__ = ["CommunityDealt", "Hand", "HandsDealt", "Stake", "WagersPlaced", "read"]
