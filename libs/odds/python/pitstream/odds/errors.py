"""What odds cannot be told of."""


class OddsError(ValueError):
    """What was given has no odds: the field, what was found, what is allowed."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field} {message}")
        self.field = field
        """Where: ``paytables.blind``."""
        self.message = message
        """What was found, what is allowed."""
