"""What `kubectl apply -k` would send. Method: the kustomize of Kubernetes, by Go, builds every overlay; each resource
is held to the schema that the files are held to, and to what only the whole shows (``make test-deploy``)."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
KUSTOMIZE = "sigs.k8s.io/kustomize/kustomize/v5@v5.7.1"
OVERLAYS = ("overlays/clusters", "overlays/clusters-migrate", "overlays/dev", "overlays/production", "migrate")
OF_OPERATORS = ("kafka.strimzi.io/", "postgresql.cnpg.io/", "keda.sh/")
"""Their own schemas hold the files already."""


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_an_overlay_is_what_a_cluster_takes(overlay: str) -> None:
    built = subprocess.run(
        ["go", "run", KUSTOMIZE, "build", str(ROOT / "deploy/k8s" / overlay)],
        env={**os.environ, "GOFLAGS": "-mod=mod"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    found: list[dict[str, Any]] = list(yaml.safe_load_all(built.stdout))
    pods = [one["spec"]["template"] for one in found if one["kind"] in ("Deployment", "Job")]
    assert len(pods) == 5
    for one in found:
        if not one["apiVersion"].startswith(OF_OPERATORS):
            kubernetes_validate.validate(one, "1.34", strict=True)
    for pod in pods:
        # What network policies and spread go by is on the pods.
        assert pod["metadata"]["labels"]["app.kubernetes.io/part-of"] == "pitstream"
        (container,) = pod["spec"]["containers"]
        given = {one["name"] for one in container["env"]}
        whole = {"PITSTREAM_KAFKA", "PITSTREAM_POSTGRES"}
        by_secret = json.dumps(container.get("envFrom", [])).count("pitstream-addresses") == 1
        assert whole <= given or by_secret
    if overlay.startswith("overlays/clusters"):
        for pod in pods:
            (container,) = pod["spec"]["containers"]
            service = pod["metadata"]["labels"]["app.kubernetes.io/name"].removeprefix("migrate-")
            env = {one["name"]: one.get("value") for one in container["env"]}
            volumes = {one["name"]: one for one in pod["spec"]["volumes"]}
            assert (
                env["PITSTREAM_KAFKA_USER"] == volumes["kafka-user"]["secret"]["secretName"] == f"pitstream-{service}"
            )
            mounted = {one["mountPath"]: one["name"] for one in container["volumeMounts"]}
            assert mounted[str(Path(env["PITSTREAM_KAFKA_CA"]).parent)] == "trust"
            assert mounted[str(Path(env["PITSTREAM_KAFKA_PASSWORD"].removeprefix("file:")).parent)] == "kafka-user"
            assert "envFrom" not in container
        for scaled in (one for one in found if one["kind"] == "ScaledObject"):
            asks = [one for one in scaled["spec"]["triggers"] if one["type"] == "kafka"]
            assert all(one["authenticationRef"] == {"name": "kafka"} for one in asks)
