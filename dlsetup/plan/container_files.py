"""The files beside a Dockerfile that start its image: compose, devcontainer, Apptainer, Kubernetes."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import yaml

from dlsetup.plan.dockerfile import (
    COMPILERS,
    ENVIRONMENT,
    FOLDER,
    LIMITS,
    PYTHONS,
    environment_command,
    health_words,
    install_words,
    labels,
    lock_files,
    memory_words,
    one_line,
    server_files,
    uv_commands,
)
from dlsetup.plan.recipe import SHARED_MEMORY, USER, Recipe

GPUS = {"driver": "nvidia", "count": "all", "capabilities": ["gpu"]}
RESOURCES = {
    "cuda": "nvidia.com/gpu",
    "rocm": "amd.com/gpu",
    "xpu": "gpu.intel.com/i915",
    "tpu": "google.com/tpu",
}
"""What a GPU is called where Kubernetes hands them out."""


def compose_yaml(recipe: Recipe) -> str:
    """`compose.yaml`: one service with the GPU reserved, and room for those who share memory."""
    service: dict[str, Any] = {"build": ".", "image": recipe.name, "init": True}
    if recipe.server:
        port = recipe.server.port
        service |= {
            "ports": [f"{port}:{port}"],
            "volumes": ["./models:/models:ro"],
            "restart": "unless-stopped",
        }
    else:
        service |= {
            "volumes": [".:/work"],
            "shm_size": f"{SHARED_MEMORY}gb",
            **({"ulimits": LIMITS} if recipe.device else {}),
            "stdin_open": True,
            "tty": True,
        }
    if recipe.device == "cuda":
        service["deploy"] = {"resources": {"reservations": {"devices": [GPUS]}}}
    service |= _devices(recipe)
    return _yaml({"services": {recipe.purpose: service}})


def devcontainer_json(recipe: Recipe) -> str:
    """`.devcontainer/devcontainer.json`: editors that know the format open the folder in the image."""
    arguments = ["--init", *memory_words(recipe)]
    found: dict[str, Any] = {
        "name": recipe.name,
        "build": {"dockerfile": "../Dockerfile", "context": ".."},
        "remoteUser": "user",
        "runArgs": arguments,
    }
    if recipe.device == "cuda":
        arguments.append("--gpus=all")
        found["hostRequirements"] = {"gpu": True}
    arguments += [f"--device={path}" for path in recipe.handing.devices]
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def apptainer_def(recipe: Recipe) -> str:
    """`apptainer.def`: the same packages where nobody is root. Apptainer brings the host's driver along."""
    option = {"cuda": " --nv", "rocm": " --rocm"}.get(recipe.device or "", "")
    lines = [
        f"# apptainer build image.sif apptainer.def && apptainer run{option} image.sif",
        "Bootstrap: docker",
        f"From: {recipe.base.builder if recipe.compiles else recipe.base.image}",
    ]
    if recipe.python:
        lines += ["", *_apptainer_build(recipe)]
    lines += ["", "%labels", *(f"    {name} {value}" for name, value in labels(recipe).items())]
    if recipe.python:
        program = "/opt/serve.py " if recipe.server else ""
        test = shlex.quote(one_line(f"import {', '.join(recipe.imports)}"))
        lines += ["", "%test", f"    {ENVIRONMENT}/bin/python -c {test}"]
        lines += ["", "%runscript", f'    exec python {program}"$@"']
    return "\n".join(lines) + "\n"


def _apptainer_build(recipe: Recipe) -> list[str]:
    packages = {"ca-certificates", *recipe.system_packages, *(COMPILERS if recipe.compiles else ())}
    packages |= {"python3-venv"} if recipe.base.python == "uv" else set()
    return [
        "%files",
        *(f"    {name} {FOLDER}/{name}" for name in lock_files(recipe)),
        *(f"    {name} /opt/{name}" for name in server_files(recipe)),
        "",
        "%post",
        "    set -eu",
        "    apt-get update",
        f"    apt-get install --yes --no-install-recommends {' '.join(sorted(packages))}",
        "    rm -rf /var/lib/apt/lists/*",
        *(f"    {command}" for command in uv_commands(recipe)),
        f"    export UV_PYTHON_INSTALL_DIR={PYTHONS}",
        f"    {environment_command(recipe)}",
        f"    {' '.join(install_words(recipe))} --no-cache {FOLDER}/{recipe.lock_name}",
        "",
        "%environment",
        f"    export PATH={ENVIRONMENT}/bin:$PATH PYTHONUNBUFFERED=1",
    ]


def pod_yaml(recipe: Recipe) -> str:
    """`pod.yaml`: a Pod with one GPU, shared memory of its own, and nobody who is root."""
    name = re.sub(r"[^a-z0-9]+", "-", recipe.name.lower()).strip("-")[:63].strip("-")
    container: dict[str, Any] = {
        "name": recipe.purpose,
        "image": recipe.name,
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [
            {"name": "shm", "mountPath": "/dev/shm"},
            {"name": "data", "mountPath": recipe.folder},
        ],
    }
    if recipe.server:
        container["ports"] = [{"containerPort": recipe.server.port}]
        container["readinessProbe"] = {"exec": {"command": list(health_words(recipe))}, "periodSeconds": 30}
    resource = RESOURCES.get(recipe.device or "")
    if resource:
        container["resources"] = {"limits": {resource: 1}}
    return _yaml(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name or "image", "annotations": _annotations(recipe)},
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


def _annotations(recipe: Recipe) -> dict[str, str]:
    return {name.replace(".", "/", 1): text for name, text in labels(recipe).items() if "dlsetup" in name}


def _devices(recipe: Recipe) -> dict[str, Any]:
    """What compose calls the devices of other vendors."""
    handing = recipe.handing
    found = {"devices": list(handing.devices), "group_add": list(handing.groups)}
    return {key: value for key, value in found.items() if value} | (
        {"privileged": True} if handing.privileged else {}
    )


def _yaml(document: dict[str, Any]) -> str:
    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)
    return text
