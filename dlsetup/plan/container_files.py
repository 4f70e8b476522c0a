"""The files beside a Dockerfile that start its image: compose, devcontainer, Apptainer, Kubernetes."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import yaml

from dlsetup.plan.dockerfile import ENVIRONMENT, FOLDER, health_words, labels
from dlsetup.plan.recipe import PORT, SERVER_FILES, SHARED_MEMORY, USER, Recipe

GPUS = {"driver": "nvidia", "count": "all", "capabilities": ["gpu"]}
RESOURCES = {"cuda": "nvidia.com/gpu", "rocm": "amd.com/gpu", "xpu": "gpu.intel.com/i915", "tpu": "google.com/tpu"}
"""What a GPU is called where Kubernetes hands them out."""


def compose_yaml(recipe: Recipe) -> str:
    """`compose.yaml`: one service with the GPU reserved, and room for those who share memory."""
    service: dict[str, Any] = {"build": ".", "image": recipe.name, "init": True}
    if recipe.server:
        service |= {"ports": [f"{PORT}:{PORT}"], "volumes": ["./models:/models:ro"], "restart": "unless-stopped"}
    else:
        service |= {
            "volumes": [".:/work"],
            "shm_size": f"{SHARED_MEMORY}gb",
            "ulimits": {"memlock": -1, "stack": 67108864},
            "stdin_open": True,
            "tty": True,
        }
    if recipe.device == "cuda":
        service["deploy"] = {"resources": {"reservations": {"devices": [GPUS]}}}
    service |= _devices(recipe)
    return _yaml({"services": {recipe.purpose: service}})


def devcontainer_json(recipe: Recipe) -> str:
    """`.devcontainer/devcontainer.json`: editors that know the format open the folder in the image."""
    arguments = ["--init", f"--shm-size={SHARED_MEMORY}g", "--ulimit=memlock=-1"]
    found: dict[str, Any] = {
        "name": recipe.name,
        "build": {"dockerfile": "../Dockerfile", "context": ".."},
        "remoteUser": "user",
        "runArgs": arguments,
    }
    if recipe.device == "cuda":
        arguments.append("--gpus=all")
        found["hostRequirements"] = {"gpu": True}
    arguments += [f"--device={path}" for path in _devices(recipe).get("devices", ())]
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def apptainer_def(recipe: Recipe) -> str:
    """`apptainer.def`: the same packages where nobody is root. A cluster's Apptainer brings the driver along."""
    option = {"cuda": " --nv", "rocm": " --rocm"}.get(recipe.device or "", "")
    project = f" --project {FOLDER}" if recipe.compiles else ""
    python = f"/opt/uv/bin/uv venv --python {recipe.python} --managed-python {ENVIRONMENT}"
    packages = ["ca-certificates", *(("python3-venv",) if recipe.base.python == "uv" else ())]
    packages += [*recipe.system_packages, *(("build-essential", "git", "ninja-build") if recipe.compiles else ())]
    lines = [
        f"# apptainer build image.sif apptainer.def && apptainer run{option} image.sif script.py",
        "Bootstrap: docker",
        f"From: {recipe.base.builder if recipe.compiles else recipe.base.image}",
        "",
        "%files",
        *(f"    {name} {FOLDER}/{name}" for name in _copied(recipe)),
        *([f"    {name} /opt/{name}" for name in SERVER_FILES] if recipe.server else []),
        "",
        "%post",
        "    set -eu",
        "    apt-get update",
        f"    apt-get install --yes --no-install-recommends {' '.join(sorted(set(packages)))}",
        "    rm -rf /var/lib/apt/lists/*",
        "    python3 -m venv /opt/uv",
        f"    /opt/uv/bin/pip install --no-cache-dir --disable-pip-version-check uv=={recipe.uv}",
        "    export UV_PYTHON_INSTALL_DIR=/opt/python",
        f"    {python if recipe.base.python == 'uv' else f'python3 -m venv --without-pip {ENVIRONMENT}'}",
        f"    /opt/uv/bin/uv pip sync{project} --no-cache --python {ENVIRONMENT}/bin/python {FOLDER}/pylock.toml",
        "",
        "%environment",
        f"    export PATH={ENVIRONMENT}/bin:$PATH PYTHONUNBUFFERED=1",
        "",
        "%labels",
        *(f"    {name} {_line(value)}" for name, value in labels(recipe).items()),
        "",
        "%test",
        f"    {ENVIRONMENT}/bin/python -c {shlex.quote(f'import {", ".join(recipe.imports)}')}",
        "",
        "%runscript",
        f'    exec python {"/opt/serve.py " if recipe.server else ""}"$@"',
    ]
    return "\n".join(lines) + "\n"


def pod_yaml(recipe: Recipe) -> str:
    """`pod.yaml`: a Pod with one GPU, shared memory of its own, and nobody who is root."""
    name = re.sub(r"[^a-z0-9]+", "-", recipe.name.lower()).strip("-")[:63].strip("-")
    folder = "/models" if recipe.server else "/work"
    container: dict[str, Any] = {
        "name": recipe.purpose,
        "image": recipe.name,
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [
            {"name": "shm", "mountPath": "/dev/shm"},
            {"name": "data", "mountPath": folder},
        ],
    }
    if recipe.server:
        container["ports"] = [{"containerPort": PORT}]
        container["readinessProbe"] = {"exec": {"command": list(health_words(recipe))}, "periodSeconds": 30}
    resource = RESOURCES.get(recipe.device or "")
    if resource:
        container["resources"] = {"limits": {resource: 1}}
    return _yaml(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name or "image", "annotations": {"dlsetup/lock": f"sha256:{recipe.lock}"}},
            "spec": {
                "restartPolicy": "Always" if recipe.server else "Never",
                "securityContext": {"runAsNonRoot": True, "runAsUser": USER, "fsGroup": USER},
                "containers": [container],
                "volumes": [
                    {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": f"{SHARED_MEMORY}Gi"}},
                    {"name": "data", "emptyDir": {}},
                ],
            },
        }
    )


def _copied(recipe: Recipe) -> tuple[str, ...]:
    return ("pylock.toml", "uv.toml") if recipe.compiles else ("pylock.toml",)


def _devices(recipe: Recipe) -> dict[str, Any]:
    """What compose calls the devices of other vendors."""
    if recipe.device == "rocm":
        return {"devices": ["/dev/kfd", "/dev/dri"], "group_add": ["video", "render"]}
    if recipe.device == "xpu":
        return {"devices": ["/dev/dri"], "group_add": ["render"]}
    return {"privileged": True} if recipe.device == "tpu" else {}


def _line(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _yaml(document: dict[str, Any]) -> str:
    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)
    return text
