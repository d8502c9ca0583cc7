"""What watches the services is sound. Method: Prometheus' own checker reads rules and configuration and runs the rules'
tests; dashboards are written again; each alert is looked up in the runbooks."""

import json
import re
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
HERE = ROOT / "deploy" / "observability"
ALERTS = HERE / "prometheus" / "alerts.yaml"
RUNBOOKS = ROOT / "docs" / "runbooks"


def alerts() -> dict[str, Any]:
    groups = yaml.safe_load(ALERTS.read_text())["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


def promtool(*arguments: str) -> str:
    found = shutil.which("promtool")
    if found is None:
        pytest.fail("Prometheus is missing: install it (Debian: apt-get install prometheus)")
    done = subprocess.run([found, *arguments], capture_output=True, text=True, check=False, cwd=ALERTS.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.prometheus
def test_prometheus_takes_the_rules_and_each_configuration(tmp_path: Path) -> None:
    assert f"{len(alerts())} rules found" in promtool("check", "rules", ALERTS.name)
    for name in ("prometheus.yml", "kubernetes.yml"):
        # The file of the credential is a secret's, which is mounted where Prometheus runs.
        config = (ALERTS.parent / name).read_text().replace("/run/secrets/scrape", str(tmp_path / "scrape"))
        # Debian builds Prometheus without Kubernetes' discovery: what is done with its labels is checked all the same.
        config = config.replace("kubernetes_sd_configs: [{role: pod}]", 'static_configs: [{targets: ["pod:8080"]}]')
        (tmp_path / "scrape").write_text("pitkey_none")
        (tmp_path / "alerts.yaml").write_text(ALERTS.read_text())
        (tmp_path / name).write_text(config)
        promtool("check", "config", str(tmp_path / name))


@pytest.mark.prometheus
def test_each_alert_is_silent_until_its_time_and_then_fires() -> None:
    tested = yaml.safe_load((ALERTS.parent / "alerts_test.yaml").read_text())["tests"]
    assert [one["name"] for one in tested] == list(alerts())
    for one in tested:
        silent, fires = one["alert_rule_test"]
        assert silent["alertname"] == fires["alertname"] == one["name"]
        assert not silent["exp_alerts"]
        assert fires["exp_alerts"]
    promtool("test", "rules", "alerts_test.yaml")


def test_each_alert_names_its_runbook_and_no_runbook_is_left_over() -> None:
    for name, rule in alerts().items():
        assert rule["annotations"]["runbook_url"] == f"docs/runbooks/{name}.md"
        page = (RUNBOOKS / f"{name}.md").read_text()
        assert page.startswith(f"# {name}\n")
        parts = re.findall(r"^## (.*)$", page, re.MULTILINE)
        assert parts == ["What the floor notices", "Look at", "Do", "It is over when"], name
        assert rule["labels"]["severity"] in ("page", "warn")
    assert {file.stem for file in RUNBOOKS.glob("*.md")} - {"README"} == alerts().keys()
    listed = re.findall(r"^\| \[(\w+)\]\((\w+)\.md\) \| (\w+) \|", (RUNBOOKS / "README.md").read_text(), re.MULTILINE)
    assert listed == [(name, name, rule["labels"]["severity"]) for name, rule in alerts().items()]


def test_dashboards_are_what_their_script_writes() -> None:
    files = runpy.run_path(str(HERE / "dashboards.py"))["FILES"]
    folder = HERE / "grafana" / "dashboards"
    assert {file.name: file.read_text() for file in folder.glob("*.json")} == files, "run `make dashboards`"


@pytest.mark.parametrize("name", ["pit", "pipeline", "services"])
def test_no_panel_of_a_dashboard_lies_on_another_and_each_has_its_source(name: str) -> None:
    page = json.loads((HERE / "grafana" / "dashboards" / f"{name}.json").read_text())
    sources = yaml.safe_load((HERE / "grafana/provisioning/datasources/sources.yaml").read_text())["datasources"]
    taken: set[tuple[int, int]] = set()
    assert page["uid"] == f"pitstream-{name}"
    for panel in page["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken, panel["title"]
        assert place["x"] + place["w"] <= 24
        taken |= cells
        assert panel["targets"]
        for target in panel["targets"]:
            assert (target["datasource"]["uid"], target["datasource"]["type"]) in {
                (source["uid"], source["type"]) for source in sources
            }


def test_metrics_that_are_asked_for_are_metrics_that_services_have() -> None:
    known = set(re.findall(r"`([a-z_.]+)`", (ROOT / "docs" / "metrics.md").read_text()))
    names = {name.replace(".", "_") for name in known}
    asked = ALERTS.read_text() + "".join(file.read_text() for file in (HERE / "grafana/dashboards").glob("*.json"))
    used = set(re.findall(r"\b((?:pitstream|messaging|http_server|db_client|process)_[a-z_]+)\b(?=[\[{)])", asked))
    assert used
    for one in used:
        assert any(one.startswith(name) for name in names), one
