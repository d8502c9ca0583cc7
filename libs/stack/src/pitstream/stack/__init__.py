"""Apache Kafka and PostgreSQL from packages: `up()` starts them, `embedded()` lends them to a test."""

from pitstream.stack.process import StackError
from pitstream.stack.stack import Part, Stack, Status, down, embedded, home_of, prepare, status, up

__all__ = ["Part", "Stack", "StackError", "Status", "down", "embedded", "home_of", "prepare", "status", "up"]
