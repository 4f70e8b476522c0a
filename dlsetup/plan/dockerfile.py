"""The text of a Dockerfile: one stage installs packages out of a lock, the other has only what runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from dlsetup.plan.recipe import SHARED_MEMORY, USER, Recipe

ENVIRONMENT = "/opt/env"
"""Where the packages are."""
PYTHONS = "/opt/python"
"""Where uv puts the Python that it brings."""
FOLDER = "/opt/dlsetup"
"""Where the lock lies while packages are installed."""
LIMITS = {"memlock": -1, "stack": 67108864}
"""Bytes; -1: no limit."""
CACHE = "/root/.cache/uv"
COMPILERS = ("build-essential", "cmake", "git", "ninja-build")
"""What is there only while something is compiled."""


def dockerfile(recipe: Recipe) -> str:
    """The file for `docker build`."""
    installs = _build(recipe) if recipe.python else ()
    blocks = (_head(recipe), *installs, _run(recipe))
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def dockerignore(recipe: Recipe) -> str:
    """Only what the Dockerfile copies goes to the builder: no data, no models, no secrets."""
    return "".join(["*\n", *(f"!{name}\n" for name in copied(recipe))])


def copied(recipe: Recipe) -> tuple[str, ...]:
    """The files that go into the image."""
    return (*lock_files(recipe), *server_files(recipe))


def lock_files(recipe: Recipe) -> tuple[str, ...]:
    """What decides which packages are installed."""
    settings = ("uv.toml",) if recipe.compiles else ()
    return (recipe.lock_name, *settings) if recipe.lock_name else ()


def server_files(recipe: Recipe) -> tuple[str, ...]:
    """What answers requests, and the model of one framework."""
    return ("serve.py", "model.py") if recipe.server and recipe.server.program else ()


def install_words(recipe: Recipe) -> tuple[str, ...]:
    """The call of uv that installs the lock, but for the lock itself."""
    project = ("--project", FOLDER) if recipe.compiles else ()
    return ("/opt/uv/bin/uv", "pip", "sync", *project, "--python", f"{ENVIRONMENT}/bin/python")


def run_words(recipe: Recipe) -> tuple[str, ...]:
    """The call that starts it, for people to paste: `$PWD` is their shell's."""
    words = ["docker", "run", "--rm"]
    if recipe.server:
        words += [f"-p={recipe.server.port}:{recipe.server.port}", '-v="$PWD/models:/models:ro"']
    else:
        words += ["-it", '-v="$PWD:/work"']
    return (*words, *_device_words(recipe), recipe.name)


def environment(recipe: Recipe) -> dict[str, str]:
    """The variables of the image."""
    found = {"PATH": f"{ENVIRONMENT}/bin:$PATH", "PYTHONUNBUFFERED": "1"} if recipe.python else {}
    if recipe.device == "cuda":
        found |= {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
        if recipe.requirement:
            found["NVIDIA_REQUIRE_CUDA"] = recipe.requirement
    return found


def labels(recipe: Recipe) -> dict[str, str]:
    """What says of the finished image what it was made for."""
    python = f"; Python {recipe.python}" if recipe.python else ""
    found = {
        "org.opencontainers.image.title": recipe.name,
        "org.opencontainers.image.description": f"{', '.join(recipe.asks or recipe.holds)}{python}",
        "dlsetup.target": recipe.target,
    }
    lock = {"dlsetup.lock": f"sha256:{recipe.lock}"} if recipe.lock else {}
    return {name: one_line(value) for name, value in (found | lock).items()}


def one_line(text: str) -> str:
    """The text without ends of lines and other signs that nobody sees: each becomes a space."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def health_words(recipe: Recipe) -> tuple[str, ...]:
    """What tells that the container is well: the server answers, the GPU is still there, it can import."""
    if recipe.server:
        return recipe.server.health
    if recipe.device == "cuda":
        return ("nvidia-smi", "-L")
    return ("python", "-c", f"import {', '.join(recipe.imports)}")


def _head(recipe: Recipe) -> list[str]:
    python = f" with Python {recipe.python}" if recipe.python else ""
    # What stands in the first line could be an order to the parser.
    lines = [
        "# Made by dlsetup.",
        f"# {one_line(', '.join(recipe.holds))}{python}.",
        f"# The base: {one_line(recipe.base.because)}.",
        "#",
        f"#     docker build -t {recipe.name} .",
        f"#     {' '.join(run_words(recipe))}",
        f"ARG BASE={recipe.base.image}",
    ]
    if recipe.python and recipe.base.builder != recipe.base.image:
        lines.append(f"ARG BUILDER={recipe.base.builder}")
    return lines


def memory_words(recipe: Recipe) -> tuple[str, ...]:
    """The options of `docker run` for the memory that workers share."""
    # NCCL pins memory; an engine without root may not raise the limit, and the CPU needs no more.
    limits = [f"--ulimit={name}={value}" for name, value in LIMITS.items()] if recipe.device else []
    return (f"--shm-size={SHARED_MEMORY}g", *limits)


def uv_commands(recipe: Recipe) -> tuple[str, ...]:
    """What brings uv to /opt/uv where there is a Python already."""
    pip = "/opt/uv/bin/pip install --no-cache-dir --disable-pip-version-check"
    return ("python3 -m venv /opt/uv", f"{pip} uv=={recipe.uv}")


def environment_command(recipe: Recipe) -> str:
    """What makes the empty environment."""
    if recipe.base.python == "uv":
        return f"/opt/uv/bin/uv venv --python {recipe.python} --managed-python {ENVIRONMENT}"
    return f"python3 -m venv --without-pip {ENVIRONMENT}"


def _device_words(recipe: Recipe) -> tuple[str, ...]:
    handing = recipe.handing
    return (
        *(("--gpus=all",) if recipe.device == "cuda" else ()),
        *(f"--device={path}" for path in handing.devices),
        *(f"--group-add={name}" for name in handing.groups),
        *(("--privileged",) if handing.privileged else ()),
        *(() if recipe.server else memory_words(recipe)),
    )


def _build(recipe: Recipe) -> Iterator[list[str]]:
    stage = "BUILDER" if recipe.base.builder != recipe.base.image else "BASE"
    compilers = _apt(COMPILERS) if recipe.compiles else ()
    yield [f"FROM ${{{stage}}} AS build", *compilers, *_python(recipe), *_install(recipe)]


def _python(recipe: Recipe) -> Iterator[str]:
    if recipe.base.python == "uv":
        yield f"COPY --from=ghcr.io/astral-sh/uv:{recipe.uv} /uv /opt/uv/bin/uv"
        yield f"ENV UV_PYTHON_INSTALL_DIR={PYTHONS}"
        yield f"RUN {environment_command(recipe)}"
    else:
        yield "RUN " + " \\\n && ".join((*uv_commands(recipe), environment_command(recipe)))


def _install(recipe: Recipe) -> Iterator[str]:
    """The lock alone decides: this layer is built again only when it changes."""
    sync, lock = " ".join(install_words(recipe)), f"{FOLDER}/{recipe.lock_name}"
    yield f"COPY {' '.join(lock_files(recipe))} {FOLDER}/"
    if recipe.mounts:
        yield "ENV UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1"
        yield f"RUN --mount=type=cache,target={CACHE} {sync} {lock}"
    else:
        yield "ENV UV_COMPILE_BYTECODE=1"
        yield f"RUN {sync} --no-cache {lock}"


def _run(recipe: Recipe) -> list[str]:
    pythons = bool(recipe.python) and recipe.base.python == "uv"
    return [
        "FROM ${BASE}",
        *(_apt(recipe.system_packages) if recipe.system_packages else ()),
        *_account(recipe),
        *([f"COPY --from=build {PYTHONS} {PYTHONS}"] if pythons else []),
        *([f"COPY --from=build {ENVIRONMENT} {ENVIRONMENT}"] if recipe.python else []),
        *([f"COPY {' '.join(server_files(recipe))} /opt/"] if server_files(recipe) else []),
        *_setting("ENV", environment(recipe)),
        *_setting("LABEL", labels(recipe)),
        f"USER {USER}",
        f"WORKDIR {recipe.folder}",
        *_start(recipe),
    ]


def _account(recipe: Recipe) -> Iterator[str]:
    if recipe.base.python == "uv":
        # Images of Ubuntu 24.04 have given the number away.
        yield "RUN if id ubuntu >/dev/null 2>&1; then userdel --remove ubuntu; fi \\"
        yield f" && useradd --uid {USER} --create-home --shell /bin/bash user \\"
    else:
        yield f"RUN useradd --uid {USER} --create-home --shell /bin/bash user \\"
    yield f" && install --directory --owner={USER} {recipe.folder}"


def _apt(names: tuple[str, ...]) -> Iterator[str]:
    yield "# hadolint ignore=DL3008"
    yield "RUN apt-get update \\"
    yield f" && apt-get install --yes --no-install-recommends {' '.join(sorted(names))} \\"
    yield " && rm -rf /var/lib/apt/lists/*"


def _start(recipe: Recipe) -> Iterator[str]:
    often = "5m"
    start: tuple[str, ...] = ("bash",) if recipe.purpose == "dev" else ("python",)
    if recipe.server:
        yield f"EXPOSE {recipe.server.port}"
        often, start = "30s", recipe.server.start
    times = f"--interval={often} --timeout=60s --start-period=60s"
    yield f"HEALTHCHECK {times} CMD {json.dumps(health_words(recipe))}"
    if start:
        yield f"CMD {json.dumps(start)}"


def _setting(word: str, values: dict[str, str]) -> Iterator[str]:
    """One instruction with a line for each value."""
    rows = [f"{name}={_quoted(value, path=name == 'PATH')}" for name, value in values.items()]
    for place, row in enumerate(rows):
        start = f"{word} " if place == 0 else " " * (len(word) + 1)
        yield f"{start}{row}" + (" \\" if place < len(rows) - 1 else "")


def _quoted(value: str, *, path: bool = False) -> str:
    """A value as Docker reads it back. No line can hold the end of a line: it becomes a space.

    `path`: `$PATH` in it is meant.
    """
    text = re.sub(r'[\\"]' if path else r'[\\"$]', r"\\\g<0>", one_line(value))
    return f'"{text}"'
