"""The cluster file for KubeRay has only fields that its version 1 has, and a configuration that Venire takes."""

import pytest
import yaml

from doc_scripts import ROOT
from venire.config import load_settings
from venire.workflows.open_engine import ray_engine

FOLDER = ROOT / "examples" / "ray"
# From the types of ray.io/v1 in KubeRay 1.5.1 (ray-operator/apis/ray/v1), and of Kubernetes' core v1: the names that
# one is likely to use here.
FIELDS = {
    "spec": {
        "activeDeadlineSeconds",
        "backoffLimit",
        "clusterSelector",
        "entrypoint",
        "entrypointNumCpus",
        "rayClusterSpec",
        "runtimeEnvYAML",
        "shutdownAfterJobFinishes",
        "submissionMode",
        "submitterConfig",
        "submitterPodTemplate",
        "suspend",
        "ttlSecondsAfterFinished",
    },
    "rayClusterSpec": {
        "authOptions",
        "autoscalerOptions",
        "enableInTreeAutoscaling",
        "headGroupSpec",
        "rayVersion",
        "workerGroupSpecs",
    },
    "authOptions": {"mode"},
    "headGroupSpec": {"headService", "rayStartParams", "serviceType", "template"},
    "workerGroupSpecs": {"groupName", "maxReplicas", "minReplicas", "rayStartParams", "replicas", "template"},
    "template": {"metadata", "spec"},
    "pod": {"automountServiceAccountToken", "containers", "nodeSelector", "securityContext", "tolerations", "volumes"},
    "containers": {"env", "envFrom", "image", "name", "resources", "securityContext", "volumeMounts"},
    "volumeMounts": {"mountPath", "name", "readOnly"},
    "volumes": {"configMap", "name", "persistentVolumeClaim"},
    "resources": {"limits", "requests"},
}


@pytest.fixture(scope="module")
def documents():
    return list(yaml.safe_load_all((FOLDER / "rayjob.yaml").read_text(encoding="utf-8")))


def unknown_fields(found, name):
    """Yield the paths of fields that a type does not have; what is not in the list above is not looked into."""
    if isinstance(found, list):
        for each in found:
            yield from unknown_fields(each, name)
    elif isinstance(found, dict) and name in FIELDS:
        for key, inner in found.items():
            if key not in FIELDS[name]:
                yield f"{name}.{key}"
            yield from unknown_fields(inner, "pod" if (name, key) == ("template", "spec") else key)


def test_the_job_has_only_fields_that_kuberay_knows(documents):
    job = documents[1]
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    assert not list(unknown_fields(job["spec"], "spec"))


def test_a_field_that_kuberay_does_not_know_would_be_found(documents):
    job = yaml.safe_load(yaml.safe_dump(documents[1]))
    job["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["template"]["spec"]["containers"][0]["volumeMount"] = []
    assert list(unknown_fields(job["spec"], "spec")) == ["containers.volumeMount"]


def test_head_and_workers_have_one_image_whose_ray_is_the_one_named(documents):
    cluster = documents[1]["spec"]["rayClusterSpec"]
    templates = [cluster["headGroupSpec"]["template"], *(group["template"] for group in cluster["workerGroupSpecs"])]
    (image,) = {container["image"] for template in templates for container in template["spec"]["containers"]}
    version = cluster["rayVersion"]
    assert image.endswith(f":{version}")
    assert f"FROM rayproject/ray:{version}-py311\n" in (FOLDER / "Dockerfile").read_text()
    assert f"\nray=={version}\n" in (ROOT / "constraints.txt").read_text()


def test_every_volume_that_is_mounted_is_there(documents):
    pod = documents[1]["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]
    mounted = {mount["name"] for container in pod["containers"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["volumes"]}
    assert pod["volumes"][0]["configMap"]["name"] == documents[0]["metadata"]["name"]


def test_only_the_head_is_given_secrets(documents):
    cluster = documents[1]["spec"]["rayClusterSpec"]
    assert "secretRef" in str(cluster["headGroupSpec"])
    assert "secret" not in str(cluster["workerGroupSpecs"]).lower()


def test_the_configuration_in_the_file_is_one_that_venire_runs_on_ray(documents, tmp_path):
    path = tmp_path / "venire.yaml"
    path.write_text(documents[0]["data"]["venire.yaml"])
    settings = load_settings(path, environment={"DEEPSEEK_API_KEY": "any"})
    assert settings.config.engine == "ray"
    group = documents[1]["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]
    assert settings.config.ray.workers == group["replicas"]
    ray_engine(settings, {})
