"""docker-compose.yml, Dockerfile and deploy/k8s are true. Method: the compose specification's and Kubernetes' own
schemas, and comparison with the services they start."""

import json
import re
import runpy
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

ROOT = Path(__file__).parents[2]
SERVICES = {"ops", "progressive", "settlement", "table", "wallet"}
KUBERNETES = "1.34"


def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


def manifests() -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{path.relative_to(ROOT)} {document.get('kind')} {index}", document)
        for path in sorted((ROOT / "deploy/k8s").rglob("*.yaml"))
        if path.name != "kustomization.yaml"
        for index, document in enumerate(yaml.safe_load_all(path.read_text()))
    ]


def kustomizations() -> list[Path]:
    return sorted((ROOT / "deploy/k8s").rglob("kustomization.yaml"))


def test_compose_file_meets_the_compose_specification() -> None:
    schema = resources.files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json"
    jsonschema.validate(compose(), json.loads(schema.read_text()))


def test_compose_starts_kafka_postgres_and_every_service() -> None:
    assert set(compose()["services"]) == SERVICES | {"kafka", "postgres"}


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_every_image_target_is_built_from_its_own_package_and_started_as_its_own_module(service: str) -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert compose()["services"][service]["build"] == {"context": ".", "target": service}
    stage = re.search(rf"^FROM run AS {service}\n(.*?)(?=^FROM|\Z)", dockerfile, re.MULTILINE | re.DOTALL)
    assert stage is not None
    assert f'CMD ["python", "-m", "pitstream.services.{service}"]' in stage[1]
    assert f"--package pitstream-{service}\n" in dockerfile
    assert (ROOT / f"services/{service}/src/pitstream/services/{service}/__main__.py").is_file()


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_every_setting_that_a_deployment_gives_is_one_that_the_service_reads(service: str) -> None:
    settings = runpy.run_path(str(ROOT / "docs/generate.py"))["settings_of"](service)
    shared = {"PITSTREAM_KAFKA", "PITSTREAM_POSTGRES", "PITSTREAM_ACCESS"}
    read = {
        name
        for field, told in settings.model_fields.items()
        for name in (
            told.validation_alias.choices if told.validation_alias else [f"PITSTREAM_{service}_{field}".upper()]
        )
    }
    given = set(re.findall(rf"PITSTREAM_{service.upper()}_\w+(?==)", (ROOT / "Dockerfile").read_text()))
    given |= {name for name in compose()["services"][service]["environment"] if name.startswith("PITSTREAM_")}
    assert shared <= given <= read


@pytest.mark.parametrize(("name", "document"), manifests(), ids=[name for name, _ in manifests()])
def test_every_manifest_meets_the_schema_of_kubernetes(name: str, document: dict[str, Any]) -> None:
    kubernetes_validate.validate(document, KUBERNETES, strict=True)


def test_every_service_has_a_deployment_with_probes_that_the_service_answers() -> None:
    deployments = {d["metadata"]["name"]: d for _, d in manifests() if d["kind"] == "Deployment"}
    assert set(deployments) == SERVICES
    for deployment in deployments.values():
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        probes = {container[probe]["httpGet"]["path"] for probe in ("readinessProbe", "livenessProbe")}
        assert probes == {"/health/live", "/health/ready"}
        assert container["securityContext"]["readOnlyRootFilesystem"]


def test_every_service_is_told_who_may_call_by_a_secret_that_is_not_in_the_repository() -> None:
    for name, one in compose()["services"].items():
        if name in SERVICES:
            assert one["secrets"] == ["access"]
            assert one["environment"]["PITSTREAM_ACCESS"] == "/run/secrets/access"
    for deployment in (d for _, d in manifests() if d["kind"] == "Deployment"):
        pod = deployment["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        assert {"name": "PITSTREAM_ACCESS", "value": "/etc/pitstream/access.toml"} in container["env"]
        assert {"name": "access", "mountPath": "/etc/pitstream", "readOnly": True} in container["volumeMounts"]
        assert {"name": "access", "secret": {"secretName": "pitstream-access"}} in pod["volumes"]
    assert not [document for _, document in manifests() if document["kind"] == "Secret"]


@pytest.mark.parametrize("path", kustomizations(), ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_every_kustomization_names_what_is_there(path: Path) -> None:
    kustomization = yaml.safe_load(path.read_text())
    for resource in kustomization["resources"]:
        assert (path.parent / resource).exists(), resource
    for patch in kustomization.get("patches", []):
        targets = [d for _, d in manifests() if d["kind"] == patch["target"]["kind"]]
        assert targets
        for operation in yaml.safe_load(patch["patch"]):
            *parents, last = operation["path"].strip("/").split("/")
            for document in targets:
                at = document
                for step in parents:
                    at = at[step]
                # JSON Patch: `replace` needs the field to be there already.
                assert operation["op"] == "add" or last in at
