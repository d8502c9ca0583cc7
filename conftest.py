"""One real Kafka and one real PostgreSQL for the whole test run."""

from pitstream.stack.testing import stack as stack
