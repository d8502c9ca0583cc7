"""Instruments, and how what they measure leaves the process.

Prometheus scrapes ``/metrics``: that a service does not answer is then known too, and nothing needs to be told where a
collector is. ``OTEL_METRICS_EXPORTER`` chooses: ``prometheus`` (as long as nothing is said), ``otlp`` to push to the
endpoint of ``OTEL_EXPORTER_OTLP_ENDPOINT``, both with a comma between, or ``none``. Before ``set_up`` nothing is
recorded, and an instrument costs a call.
"""

import asyncio
import os
import time
from collections import Counter as Tally
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from opentelemetry import metrics
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import CallbackOptions, Counter, Histogram, Observation
from opentelemetry.sdk.metrics import AlwaysOffExemplarFilter, MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from prometheus_client import CollectorRegistry, generate_latest

from pitstream.events import Event
from pitstream.runtime import telemetry
from pitstream.runtime.logs import log
from pitstream.runtime.telemetry import Metric

if TYPE_CHECKING:
    from pitstream.runtime.store import Store

EXPORTERS = ("prometheus", "otlp", "none")
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_READ_EVERY_S = 5.0
_STATM = Path("/proc/self/statm")

_meter = metrics.get_meter("pitstream")


class Reading(NamedTuple):
    """What a gauge stands at."""

    metric: Metric
    value: float
    attributes: Mapping[str, str] = {}


Gauges = Callable[["Store"], Awaitable[Sequence[Reading]]]
"""Reads gauges of a service."""
Counting = Callable[[Sequence[Event]], None]
"""Counts events that were committed."""


class UnknownExporterError(ValueError):
    """``OTEL_METRICS_EXPORTER`` names something else than is allowed."""


class Exported:
    """The metrics of this process, for as long as it runs."""

    def __init__(self, service: str, environ: Mapping[str, str] = os.environ) -> None:
        """Raises UnknownExporterError."""
        chosen = [name.strip() for name in environ.get("OTEL_METRICS_EXPORTER", "prometheus").split(",")]
        if unknown := set(chosen) - set(EXPORTERS):
            raise UnknownExporterError(
                f"OTEL_METRICS_EXPORTER: was {', '.join(sorted(unknown))}; allowed: {', '.join(EXPORTERS)}"
            )
        self._registry = CollectorRegistry() if "prometheus" in chosen else None
        readers: list[MetricReader] = []
        if self._registry is not None:
            readers.append(PrometheusMetricReader(registry=self._registry, scope_info_enabled=False))
        if "otlp" in chosen:
            readers.append(PeriodicExportingMetricReader(OTLPMetricExporter()))
        self.are_read = bool(readers)
        self._provider = MeterProvider(
            readers,
            Resource.create({SERVICE_NAME: f"pitstream-{service}"}),
            # A trace is found by its round, not by an example of a slow one; and each record would cost twice as much.
            exemplar_filter=AlwaysOffExemplarFilter(),
        )

    def begin(self) -> None:
        """Instruments record from here on."""
        if self.are_read:
            metrics.set_meter_provider(self._provider)

    def scraped(self) -> bytes | None:
        """What Prometheus is told; None where it is not who reads."""
        return None if self._registry is None else generate_latest(self._registry)

    def shutdown(self) -> None:
        self._provider.shutdown()


def counter(metric: Metric) -> Counter:
    return _meter.create_counter(metric.name, metric.unit, metric.what)


def histogram(metric: Metric) -> Histogram:
    return _meter.create_histogram(
        metric.name, metric.unit, metric.what, explicit_bucket_boundaries_advisory=telemetry.BUCKETS_S
    )


class Tallies:
    """Sums of a commit, by metric and attributes: added to an instrument once for each, since an instrument costs ten
    times what a sum does."""

    def __init__(self, *counted: Metric) -> None:
        self._instruments = {metric.name: counter(metric) for metric in counted}
        self._names = {metric.name: metric.attributes for metric in counted}
        self._sums: Tally[tuple[str, tuple[Hashable, ...]]] = Tally()

    def add(self, metric: Metric, amount: int, *values: str) -> None:
        """``values``: of the metric's attributes, in their order."""
        self._sums[metric.name, values] += amount

    def tell(self) -> None:
        for (name, values), amount in self._sums.items():
            attributes = dict(zip(self._names[name], values, strict=True))
            self._instruments[name].add(amount, attributes)  # type: ignore[arg-type]  # values are strings
        self._sums.clear()


class Board:
    """Where gauges stand. They are read from the database every few seconds, whoever looks, and however often."""

    def __init__(self, shown: Iterable[Metric]) -> None:
        self._readings: dict[str, list[Observation]] = {}
        for metric in shown:
            _meter.create_observable_gauge(metric.name, [self.observing(metric.name)], metric.unit, metric.what)
        _meter.create_observable_gauge(telemetry.MEMORY.name, [_memory], telemetry.MEMORY.unit, telemetry.MEMORY.what)
        _meter.create_observable_counter(telemetry.CPU.name, [_cpu], telemetry.CPU.unit, telemetry.CPU.what)

    def observing(self, name: str) -> Callable[[CallbackOptions], Iterable[Observation]]:
        return lambda _options: self._readings.get(name, ())

    async def read(self, store: "Store", gauges: Sequence[Gauges]) -> None:
        """Read once. What cannot be read is not shown: an old figure would look like a good one."""
        found: dict[str, list[Observation]] = {}
        try:
            for read in gauges:
                for metric, value, attributes in await read(store):
                    found.setdefault(metric.name, []).append(Observation(value, attributes))
        except Exception as error:
            found.clear()
            log.warning("gauges cannot be read", error=repr(error))
        self._readings = found

    async def keep_reading(self, store: "Store", gauges: Sequence[Gauges]) -> None:
        while True:
            await self.read(store, gauges)
            await asyncio.sleep(_READ_EVERY_S)


def _memory(_options: CallbackOptions) -> Iterable[Observation]:
    if _STATM.exists():
        yield Observation(int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"))


def _cpu(_options: CallbackOptions) -> Iterable[Observation]:
    yield Observation(time.process_time())
