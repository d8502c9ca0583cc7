"""Apache Kafka and PostgreSQL from packages, for demo, development and tests."""
