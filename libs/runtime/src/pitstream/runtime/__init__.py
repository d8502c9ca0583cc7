"""What every service's shell shares: event store, inbox, outbox relay, consumers, settings, telemetry."""
