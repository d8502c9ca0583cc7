"""docker-compose.yml, Dockerfile and deploy/k8s are true. Method: the compose specification's and Kubernetes' own
schemas, and comparison with the services they start."""

import json
import re
import runpy
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from pitstream.cli.credentials import employ_staff
from pitstream.runtime import ServiceSettings
from pitstream.runtime.kafka_security import KafkaSecurity
from pitstream.runtime.settings import DEAD_LETTERS_TOPIC, TOPIC_SOURCES, group_of

ROOT = Path(__file__).parents[2]
SERVICES = {"ops", "progressive", "settlement", "table", "wallet"}
KUBERNETES = "1.34"
CRDS = ROOT / "tests/data/crds"


def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


def manifests() -> list[tuple[str, dict[str, Any]]]:
    """Every resource of ``deploy/k8s``, with where it stands."""
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


def test_compose_starts_kafka_postgres_and_every_service_and_the_rest_by_profile() -> None:
    profiles: dict[str, set[str]] = {}
    for name, one in compose()["services"].items():
        for profile in one.get("profiles", ["core"]):
            profiles.setdefault(profile, set()).add(name)
    assert profiles == {
        "core": SERVICES | {"kafka", "postgres"},
        "operator": {"operator"},
        "observability": {"collector", "grafana", "prometheus", "tempo"},
    }


def test_compose_mounts_what_is_there_and_pins_every_image_by_its_version() -> None:
    declared = compose()
    for name, one in declared["services"].items():
        assert ("image" in one) != ("build" in one), name
        if "image" in one:
            assert re.search(r":v?\d+(\.\d+)*$", one["image"]), one["image"]
        for source in (volume.split(":")[0] for volume in one.get("volumes", [])):
            assert (ROOT / source).exists() if source.startswith("./") else source in declared["volumes"], source
        assert set(one.get("secrets", [])) <= set(declared["secrets"])


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_every_image_target_is_built_from_its_own_package_and_started_as_its_own_module(service: str) -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert compose()["services"][service]["build"] == {"context": ".", "target": service}
    stage = re.search(rf"^FROM run AS {service}\n(.*?)(?=^FROM|\Z)", dockerfile, re.MULTILINE | re.DOTALL)
    assert stage is not None
    assert f'CMD ["python", "-m", "pitstream.services.{service}"]' in stage[1]
    assert f"FROM build AS build-{service}\nRUN deploy/build-image.sh {service}\n" in dockerfile
    assert "COPY --from=build-" + service + " /app /app\n" in stage[1]
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
    (container,) = of_kind("Deployment")[service]["spec"]["template"]["spec"]["containers"]
    given |= {one["name"] for one in container["env"]}
    supervised = (ROOT / "libs/cli/src/pitstream/cli/platform.py").read_text()
    given |= {f"PITSTREAM_{service}_{name}".upper() for name in re.findall(r"\{service\.upper\(\)\}_(\w+)", supervised)}
    read |= {f"PITSTREAM_KAFKA_{option.upper()}" for option in KafkaSecurity.model_fields}
    assert shared <= given <= read
    listed = (ROOT / "docs/settings.md").read_text()
    for name in given:
        of_every_service = name.replace(f"PITSTREAM_{service.upper()}_", "PITSTREAM_<SERVICE>_")
        assert f"`{name}`" in listed or f"`{of_every_service}`" in listed


@pytest.mark.parametrize(("name", "document"), manifests(), ids=[name for name, _ in manifests()])
def test_every_manifest_meets_the_schema_of_kubernetes_or_of_its_operator(name: str, document: dict[str, Any]) -> None:
    group, _, version = document["apiVersion"].rpartition("/")
    if (of_operator := CRDS / f"{group}_{version}_{document['kind']}.json").exists():
        jsonschema.Draft7Validator(closed(json.loads(of_operator.read_text()))).validate(document)
    else:
        kubernetes_validate.validate(document, KUBERNETES, strict=True)


def closed(schema: Any) -> Any:
    """The schema with every field that it does not name refused: a cluster would drop it without a word."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(one) for name, one in schema.items()}
    # `metadata` is Kubernetes' own, and `properties` may be a field's name, too.
    if isinstance(found.get("properties"), dict) and not found.get("x-kubernetes-preserve-unknown-fields"):
        found.setdefault("additionalProperties", False)
    return found


def test_a_field_that_an_operator_does_not_know_is_refused() -> None:
    (topic, *_) = [document for _, document in manifests() if document["kind"] == "KafkaTopic"]
    schema = closed(json.loads((CRDS / "kafka.strimzi.io_v1_KafkaTopic.json").read_text()))
    wrong = {**topic, "spec": {**topic["spec"], "replica": 3}}
    assert [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(wrong)] == [
        "Additional properties are not allowed ('replica' was unexpected)"
    ]


def test_every_service_has_a_deployment_with_probes_that_the_service_answers() -> None:
    assert set(of_kind("Deployment")) == SERVICES
    for deployment in of_kind("Deployment").values():
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        probes = [container[probe]["httpGet"]["path"] for probe in ("startupProbe", "readinessProbe", "livenessProbe")]
        assert probes == ["/health/live", "/health/ready", "/health/live"]


def of_kind(kind: str) -> dict[str, dict[str, Any]]:
    return {d["metadata"]["name"]: d for _, d in manifests() if d["kind"] == kind}


def pods() -> list[tuple[str, dict[str, Any]]]:
    return [
        (name, one["spec"]["template"]["spec"]) for kind in ("Deployment", "Job") for name, one in of_kind(kind).items()
    ]


@pytest.mark.parametrize(("name", "pod"), pods(), ids=[name for name, _ in pods()])
def test_every_pod_runs_as_nobody_with_nothing_to_write_and_with_bounds(name: str, pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 65534,
        "runAsGroup": 65534,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert re.fullmatch(r"pitstream-[a-z]+:\d+\.\d+\.\d+", container["image"])
    assert set(container["resources"]["requests"]) == {"cpu", "memory", "ephemeral-storage"}
    # No bound on the processor: whoever is held back while it has a batch in hand holds everybody back.
    assert set(container["resources"]["limits"]) == {"memory", "ephemeral-storage"}


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_instances_are_exchanged_and_spread_so_that_one_always_serves(service: str) -> None:
    deployment = of_kind("Deployment")[service]["spec"]
    labels = {"app.kubernetes.io/name": service}
    assert deployment["replicas"] == 2
    assert deployment["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    assert deployment["template"]["metadata"]["labels"] == deployment["selector"]["matchLabels"] == labels
    spread = deployment["template"]["spec"]["topologySpreadConstraints"]
    assert {one["topologyKey"] for one in spread} == {"kubernetes.io/hostname", "topology.kubernetes.io/zone"}
    assert all(one["labelSelector"]["matchLabels"] == labels for one in spread)
    assert of_kind("PodDisruptionBudget")[service]["spec"] == {"minAvailable": 1, "selector": {"matchLabels": labels}}


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_a_service_is_migrated_by_a_job_of_its_own_image(service: str) -> None:
    (container,) = of_kind("Job")[f"migrate-{service}"]["spec"]["template"]["spec"]["containers"]
    (served,) = of_kind("Deployment")[service]["spec"]["template"]["spec"]["containers"]
    assert container["args"] == ["python", "-m", f"pitstream.services.{service}", "migrate"]
    assert (container["image"], container["envFrom"]) == (served["image"], served["envFrom"])


def topics_read_by(service: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> set[str]:
    """The topics of its own handlers."""
    for name, value in {"KAFKA": "k:1", "POSTGRES": "postgresql://p/p", "ACCESS": str(employ_staff(folder))}.items():
        monkeypatch.setenv(f"PITSTREAM_{name}", value)
    for other in SERVICES:
        monkeypatch.setenv(f"PITSTREAM_{other.upper()}_URL", "http://other")
    return set(import_module(f"pitstream.services.{service}.app").build().handlers)


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_a_service_is_scaled_by_the_lag_of_every_topic_that_it_reads(
    service: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    read = topics_read_by(service, monkeypatch, tmp_path)
    scaled = of_kind("ScaledObject")[service]["spec"]
    triggers = {
        one["metadata"]["topic"]: one["metadata"]["consumerGroup"]
        for one in scaled["triggers"]
        if one["type"] == "kafka"
    }
    assert triggers == {topic: group_of(service, topic) for topic in read}
    # A further instance than there are partitions would read nothing.
    assert scaled["maxReplicaCount"] == ServiceSettings.model_fields["partitions"].default


def test_the_clusters_topics_are_those_of_the_services() -> None:
    described = json.loads((ROOT / "docs/asyncapi.json").read_text())["channels"]
    topics = of_kind("KafkaTopic")
    assert set(topics) == set(described) == {*TOPIC_SOURCES, DEAD_LETTERS_TOPIC}
    for topic in topics.values():
        assert topic["spec"]["partitions"] == ServiceSettings.model_fields["partitions"].default
        kept = {"cleanup.policy": "delete", "retention.ms": -1, "retention.bytes": -1}
        assert kept.items() <= topic["spec"]["config"].items()


def rights_of(user: dict[str, Any]) -> dict[tuple[str, str], set[str]]:
    assert user["spec"]["authentication"] == {"type": "scram-sha-512"}
    assert user["spec"]["authorization"]["type"] == "simple"
    return {
        (one["resource"]["patternType"], one["resource"]["name"]): set(one["operations"])
        for one in user["spec"]["authorization"]["acls"]
    }


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_a_service_s_user_reads_what_the_service_reads_and_writes_its_own_topic_alone(
    service: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    read = topics_read_by(service, monkeypatch, tmp_path)
    rights = rights_of(of_kind("KafkaUser")[f"pitstream-{service}"])
    assert {name for (_, name), may in rights.items() if "Write" in may} == {DEAD_LETTERS_TOPIC} | {
        topic for topic, source in TOPIC_SOURCES.items() if source == service
    }
    assert {name for (kind, name), may in rights.items() if "Read" in may and kind == "literal"} == read
    # What it cannot see it would try to make.
    assert {name for (_, name), may in rights.items() if "Describe" in may} == {*TOPIC_SOURCES, DEAD_LETTERS_TOPIC}
    assert rights[("prefix", f"pitstream.{service}.")] == {"Read"}
    assert {operation for may in rights.values() for operation in may} == {"Read", "Write", "Describe"}


def test_who_only_looks_writes_nothing() -> None:
    users = of_kind("KafkaUser")
    assert set(users) == {f"pitstream-{name}" for name in (*SERVICES, "audit", "scaling")}
    for name, operations in {"audit": {"Read", "Describe"}, "scaling": {"Describe"}}.items():
        rights = rights_of(users[f"pitstream-{name}"])
        assert {operation for may in rights.values() for operation in may} == operations
        assert {topic for kind, topic in rights if kind == "literal"} == set(TOPIC_SOURCES)


def test_clusters_of_our_own_are_spoken_to_over_tls_alone() -> None:
    (listener,) = of_kind("Kafka")["pitstream"]["spec"]["kafka"]["listeners"]
    assert (listener["tls"], listener["authentication"]) == (True, {"type": "scram-sha-512"})
    assert of_kind("Kafka")["pitstream"]["spec"]["kafka"]["authorization"] == {"type": "simple"}
    assert of_kind("Cluster")["pitstream-db"]["spec"]["postgresql"]["pg_hba"] == ["hostnossl all all all reject"]
    component = yaml.safe_load((ROOT / "deploy/k8s/components/own-clusters/kustomization.yaml").read_text())
    given: dict[str, dict[str, str]] = {}
    for patch in component["patches"]:
        for operation in yaml.safe_load(patch["patch"]):
            if operation["path"].endswith("/env/-") and "value" in operation["value"]:
                target = given.setdefault(patch["target"].get("name", "all"), {})
                target[operation["value"]["name"]] = operation["value"]["value"]
    assert given["all"]["PITSTREAM_KAFKA"].endswith(f":{listener['port']}")
    assert (given["all"]["PITSTREAM_KAFKA_SECURITY"], given["all"]["PGSSLMODE"]) == ("sasl_ssl", "verify-full")
    for service in SERVICES:
        assert given[f"(migrate-)?{service}"] == {"PITSTREAM_KAFKA_USER": f"pitstream-{service}"}
    read = {f"PITSTREAM_KAFKA_{option.upper()}" for option in KafkaSecurity.model_fields} | {"PITSTREAM_KAFKA"}
    assert {name for some in given.values() for name in some if name.startswith("PITSTREAM_")} <= read


def test_whatever_is_not_allowed_between_pods_is_denied() -> None:
    policies = of_kind("NetworkPolicy")
    everybody = {"matchLabels": {"app.kubernetes.io/part-of": "pitstream"}}
    assert policies["nothing-else"]["spec"] == {"podSelector": everybody, "policyTypes": ["Ingress", "Egress"]}
    # The label is given by the kustomizations, which have to give it to the pods and not to the deployments alone.
    for path in (ROOT / "deploy/k8s/base", ROOT / "deploy/k8s/migrate"):
        (labels,) = yaml.safe_load((path / "kustomization.yaml").read_text())["labels"]
        assert labels == {"pairs": everybody["matchLabels"], "includeTemplates": True}


def test_every_service_is_told_who_may_call_by_a_secret_that_is_not_in_the_repository() -> None:
    for name, one in compose()["services"].items():
        if name in SERVICES:
            assert one["secrets"] == ["access", "ca", "kafka-password"]
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
    for resource in [*kustomization["resources"], *kustomization.get("components", [])]:
        assert (path.parent / resource).exists(), resource
    for patch in kustomization.get("patches", []):
        kind, name = patch["target"]["kind"], patch["target"].get("name", ".*")
        targets = [
            d for _, d in manifests() if re.fullmatch(kind, d["kind"]) and re.fullmatch(name, d["metadata"]["name"])
        ]
        assert targets
        for operation in yaml.safe_load(patch["patch"]):
            *parents, last = operation["path"].strip("/").split("/")
            for document in targets:
                at = document
                for step in parents:
                    at = at[int(step) if step.isdigit() else step]
                # JSON Patch: `replace` and `remove` need the field to be there already.
                assert operation["op"] == "add" or last in at
