"""Writes Grafana's dashboards (``make dashboards``): three pages of panels, each panel a title, a unit and its queries.

Kept as code because Grafana's own files say each thing twenty times. A test holds the files equal to what this writes,
and asks a real Prometheus every query.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "grafana" / "dashboards"
SOURCE = {"type": "prometheus", "uid": "prometheus"}
WIDE = 24


@dataclass(frozen=True)
class Panel:
    """One chart, or one number (``kind`` stat); ``queries``: legend -> PromQL."""

    title: str
    unit: str
    queries: dict[str, str]
    what: str = ""
    kind: str = "timeseries"
    width: int = 8


def rate(metric: str, by: str = "", where: str = "") -> str:
    """Per second, summed; 0 where nothing of it ever happened."""
    rated = f"rate({metric}{where}[$__rate_interval])"
    return f"sum by ({by}) ({rated})" if by else f"sum({rated}) or vector(0)"


def quantile(part: float, histogram: str, by: str, where: str = "") -> str:
    rated = f"sum by (le, {by}) (rate({histogram}_bucket{where}[$__rate_interval]))"
    return f"histogram_quantile({part}, {rated})"


def stat(title: str, query: str, what: str, unit: str = "none") -> Panel:
    return Panel(title, unit, {title: query}, what, "stat", 4)


# A property's money has its currency's minor units, and dashboards show the currency: cents of USD as dollars.
HANDLE = rate("pitstream_handle_total", "pitstream_game, pitstream_currency")
RETURNED = rate("pitstream_returned_total", "pitstream_game, pitstream_currency")

PIT = (
    stat("Tables open", "max(pitstream_tables_open)", "Tables that are open for a game"),
    stat("Rounds in progress", "max(pitstream_rounds_in_progress)", "Opened and neither finished nor void"),
    stat("Hits pending", "sum(max by (pitstream_hit_status) (pitstream_hits_pending))", "Neither paid nor refused"),
    stat("Prizes pending", "max(pitstream_prizes_pending)", "That a floorperson has not decided"),
    stat("Uncertain moves", "max(pitstream_remote_moves_uncertain)", "At operators' wallets, for a person to decide"),
    stat("Changes pending", "max(pitstream_changes_pending)", "Of networks, that wait for a second person"),
    Panel(
        "Rounds settled an hour, by game", "none",
        {"{{pitstream_game}} {{pitstream_round_outcome}}":
         f"3600 * {rate('pitstream_rounds_settled_total', 'pitstream_game, pitstream_round_outcome')}"},
    ),
    Panel(
        "Handle an hour, by game", "none",
        {"{{pitstream_game}} {{pitstream_currency}}": f"3600 * {HANDLE} / 100"},
        "Stakes of rounds that were played, in units of currencies with two decimal places",
    ),
    Panel(
        "Win an hour, by game", "none",
        {"{{pitstream_game}} {{pitstream_currency}}": f"3600 * ({HANDLE} - {RETURNED}) / 100"},
        "Handle less what came back; shares of meters are paid from meters and are no part of it",
    ),
    Panel(
        "Hold, by game", "percentunit",
        {"{{pitstream_game}} {{pitstream_currency}}":
         "1 - sum by (pitstream_game, pitstream_currency) (increase(pitstream_returned_total[1h]))"
         " / sum by (pitstream_game, pitstream_currency) (increase(pitstream_handle_total[1h]))"},
        "Of the last hour: chance, unless it stays far off for days",
    ),
    Panel(
        "Wagers a minute", "none",
        {"held": f"60 * ({rate('pitstream_holds_made_total')})",
         "declined {{pitstream_reason}}": f"60 * {rate('pitstream_holds_declined_total', 'pitstream_reason')}"
         " or vector(0)"},
        "Whose money was held, and whose could not be",
    ),
    Panel(
        "Rounds void, disputed, corrected an hour", "none",
        {"void": f"3600 * ({rate('pitstream_rounds_voided_total')})",
         "disputed": f"3600 * ({rate('pitstream_disputes_opened_total')})",
         "corrected": f"3600 * ({rate('pitstream_rounds_corrected_total')})"},
    ),
    Panel(
        "Hits locked an hour", "none",
        {"hits": f"3600 * ({rate('pitstream_hits_locked_total')})"}, "Shares of meters that were fixed", width=12,
    ),
    Panel(
        "Operators' wallets: moves being asked for", "none",
        {"{{pitstream_remote_step}}": "max by (pitstream_remote_step) (pitstream_remote_moves_open)",
         "age of the oldest, s": "max(pitstream_remote_moves_age_seconds)"}, width=12,
    ),
)  # fmt: skip

TOPIC = "messaging_destination_name"
FAILED = '{error_type!=""}'
FAULTS = '{http_response_status_code=~"5.."}'
PIPELINE = (
    stat("Dead letters", "sum(max by (service, messaging_destination_name, pitstream_reason)"
         " (pitstream_dead_letters_waiting))", "Not retried with success yet"),
    stat("Keys that stand still", "sum(max by (service, messaging_destination_name) (pitstream_parked_keys))",
         "For a dead letter, or a gap"),
    stat("Records behind", "sum(max by (service, messaging_destination_name) (pitstream_consumer_lag))",
         "Of all readers together"),
    stat("Oldest in an outbox", "max(pitstream_outbox_age_seconds)", "Written, not acknowledged by Kafka", "s"),
    stat("Relays that publish", "sum(pitstream_relay_owner)", "One for each service: five"),
    stat("Webhooks waiting", "max(pitstream_webhooks_waiting)", "Due, or to be tried again"),
    Panel("Lag, by reader", "none",
          {"{{service}} {{messaging_destination_name}}": f"max by (service, {TOPIC}) (pitstream_consumer_lag)"}),
    Panel("Age of the oldest in the outbox", "s", {"{{service}}": "max by (service) (pitstream_outbox_age_seconds)"}),
    Panel("Records in the outbox", "none", {"{{service}}": "max by (service) (pitstream_outbox_messages)"}),
    Panel("Sent a second, by topic", "none", {"{{messaging_destination_name}}":
          rate("messaging_client_sent_messages_total", TOPIC)}),
    Panel("Consumed a second, by reader", "none", {"{{service}} {{messaging_destination_name}}":
          rate("messaging_client_consumed_messages_total", f"service, {TOPIC}")}),
    Panel("Records in a batch", "none", {"{{service}} {{messaging_destination_name}}":
          rate("messaging_client_consumed_messages_total", f"service, {TOPIC}") + " / "
          + rate("messaging_process_duration_seconds_count", f"service, {TOPIC}")},
          "The more, the fewer transactions"),
    Panel("Batches, p50", "s", {"{{service}} {{messaging_destination_name}}":
          quantile(0.5, "messaging_process_duration_seconds", f"service, {TOPIC}")}, "With their transaction"),
    Panel("Batches, p99", "s", {"{{service}} {{messaging_destination_name}}":
          quantile(0.99, "messaging_process_duration_seconds", f"service, {TOPIC}")}, "With their transaction"),
    Panel("Kafka's acknowledgement, p99", "s", {"{{service}}":
          quantile(0.99, "messaging_client_operation_duration_seconds", "service")}),
    Panel("Batches that failed and were tried again", "none", {"{{service}} {{error_type}}":
          rate("messaging_process_duration_seconds_count", "service, error_type", FAILED) + " or vector(0)"},
          "A lost race is one, and harmless", width=12),
    Panel("Dead letters, by reason", "none", {"{{service}} {{messaging_destination_name}} {{pitstream_reason}}":
          f"max by (service, {TOPIC}, pitstream_reason) (pitstream_dead_letters_waiting)"}, width=12),
)  # fmt: skip

COMMANDS = '{http_request_method="POST"}'
SERVICES = (
    stat("Instances up", 'sum(up{job="pitstream"})', "Of all services together"),
    stat("Requests a second", rate("http_server_request_duration_seconds_count"), "Answered"),
    stat("Of them 5xx", f"({rate('http_server_request_duration_seconds_count', where=FAULTS)})"
         " / sum(rate(http_server_request_duration_seconds_count[$__rate_interval]))", "Faults of ours", "percentunit"),
    stat("Commands, p99", f"histogram_quantile(0.99, sum by (le) (rate(http_server_request_duration_seconds_bucket"
         f"{COMMANDS}[$__rate_interval])))", "What a dealer waits for", "s"),
    stat("Memory, most", "max(process_memory_usage_bytes)", "Of one process", "bytes"),
    stat("Event loop late, most", "max(pitstream_event_loop_delay_seconds)", "Of one process", "s"),
    Panel("Requests a second, by answer", "none", {"{{service}} {{http_response_status_code}}":
          rate("http_server_request_duration_seconds_count", "service, http_response_status_code")}),
    Panel("Commands, p99 by service", "s", {"{{service}}":
          quantile(0.99, "http_server_request_duration_seconds", "service", COMMANDS)}),
    Panel("Slowest routes, p99", "s", {"{{service}} {{http_request_method}} {{http_route}}":
          "topk(10, " + quantile(0.99, "http_server_request_duration_seconds",
                                 "service, http_request_method, http_route") + ")"}),
    Panel("Transactions a second", "none", {"{{service}}":
          rate("db_client_operation_duration_seconds_count", "service")}),
    Panel("Transactions, p99", "s", {"{{service}}":
          quantile(0.99, "db_client_operation_duration_seconds", "service")}),
    Panel("Transactions that ended without a commit", "none", {"{{service}} {{error_type}}":
          rate("db_client_operation_duration_seconds_count", "service, error_type", FAILED) + " or vector(0)"},
          "A lost race is one; it is run again"),
    Panel("Wait for a connection, p99", "s", {"{{service}}":
          quantile(0.99, "db_client_connection_wait_time_seconds", "service")}),
    Panel("Connections", "none", {"{{service}} {{db_client_connection_state}}":
          "sum by (service, db_client_connection_state) (db_client_connection_count)",
          "{{service}} allowed": "sum by (service) (db_client_connection_max)"}),
    Panel("Memory", "bytes", {"{{service}} {{instance}}": "process_memory_usage_bytes"}),
    Panel("Processor time", "percentunit", {"{{service}} {{instance}}":
          "rate(process_cpu_time_seconds_total[$__rate_interval])"}, "Of one core: a service is one process", width=12),
    Panel("Event loop late", "s", {"{{service}} {{instance}}": "pitstream_event_loop_delay_seconds"},
          "While it is, nothing else of the process goes on", width=12),
)  # fmt: skip

DASHBOARDS = {
    "pit": ("Pit", "What the floor does: rounds, handle, win, holds, hits", PIT),
    "pipeline": ("Pipeline", "From the outbox to every reader: lag, age, throughput, what stands still", PIPELINE),
    "services": ("Services", "HTTP, PostgreSQL, memory, event loop", SERVICES),
}


def dashboard(uid: str) -> dict[str, Any]:
    """A page in Grafana's own shape; panels fill rows from left to right."""
    title, what, panels = DASHBOARDS[uid]
    shown, x, y, row = [], 0, 0, 0
    for number, panel in enumerate(panels, start=1):
        height = 4 if panel.kind == "stat" else 8
        if x + panel.width > WIDE:
            x, y, row = 0, y + row, 0
        place = {"x": x, "y": y, "w": panel.width, "h": height}
        shown.append(_panel(number, panel, place))
        x, row = x + panel.width, max(row, height)
    return {
        "uid": f"pitstream-{uid}", "title": f"pitstream: {title}", "description": what, "tags": ["pitstream"],
        "schemaVersion": 39, "version": 1, "editable": False, "timezone": "browser", "refresh": "10s",
        "time": {"from": "now-1h", "to": "now"}, "templating": {"list": []}, "annotations": {"list": []},
        "links": [{"type": "dashboards", "title": "pitstream", "tags": ["pitstream"], "asDropdown": True}],
        "panels": shown,
    }  # fmt: skip


def _panel(number: int, panel: Panel, place: dict[str, int]) -> dict[str, Any]:
    return {
        "id": number, "type": panel.kind, "title": panel.title, "description": panel.what, "datasource": SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []},
        "targets": [
            {"refId": chr(ord("A") + place), "expr": expr, "legendFormat": legend, "datasource": SOURCE}
            for place, (legend, expr) in enumerate(panel.queries.items())
        ],
    }  # fmt: skip


FILES = {f"{uid}.json": json.dumps(dashboard(uid), indent=1, ensure_ascii=False) + "\n" for uid in DASHBOARDS}

if __name__ == "__main__":
    HERE.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (HERE / name).write_text(text, encoding="utf-8")
