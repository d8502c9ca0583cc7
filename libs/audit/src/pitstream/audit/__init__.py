"""What is recorded is derived anew from the events alone, from any source, and compared.

``audit`` reads a source with several processes, each a share of the keys. ``audit_share`` is one of them, wherever it
runs; it leaves a part, a file, and ``combine`` puts parts together. Nothing but events is believed, and of them only
what follows from others.
"""

from pitstream.audit.combining import PartsError, combine
from pitstream.audit.findings import Finding
from pitstream.audit.judge import Report, audit, judge, workers_here
from pitstream.audit.scope import Scope
from pitstream.audit.walk import Asked, Where, audit_share

__all__ = [
    "Asked",
    "Finding",
    "PartsError",
    "Report",
    "Scope",
    "Where",
    "audit",
    "audit_share",
    "combine",
    "judge",
    "workers_here",
]
