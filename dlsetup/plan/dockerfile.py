"""The text of a Dockerfile: packages are locked and installed in one stage, the other has only what runs."""

from __future__ import annotations

import json
from collections.abc import Iterator

from dlsetup.plan.recipe import PORT, SERVER_FILES, USER, Recipe

ENVIRONMENT = "/opt/env"
"""Where the packages are."""
PYTHONS = "/opt/python"
"""Where uv puts the Python that it brings."""
FOLDER = "/opt/dlsetup"
"""Where the lock lies while packages are installed."""
CACHE = "/root/.cache/uv"


def dockerfile(recipe: Recipe) -> str:
    """The file for `docker build`."""
    blocks = (_head(recipe), *_build(recipe), *_run(recipe))
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def dockerignore() -> str:
    """Only what the Dockerfile copies goes to the builder: no data, no models, no secrets."""
    return "*\n!pylock.toml\n!uv.toml\n!serve.py\n!model.py\n"


def _head(recipe: Recipe) -> list[str]:
    lines = [
        f"# {', '.join(recipe.holds)} with Python {recipe.python}.",
        f"# The base: {recipe.base.because}.",
        "#",
        f"#     docker build -t {recipe.name} .",
        f"#     {' '.join(run_words(recipe))}",
        f"ARG BASE={recipe.base.image}",
    ]
    if recipe.base.builder != recipe.base.image:
        lines.append(f"ARG BUILDER={recipe.base.builder}")
    return lines


def run_words(recipe: Recipe) -> tuple[str, ...]:
    """The call that starts it."""
    words = ["docker", "run", "--rm"]
    if recipe.server:
        words += [f"-p={PORT}:{PORT}", '-v="$PWD/models:/models:ro"']
    else:
        words += ["-it", '-v="$PWD:/work"']
    return (*words, *device_words(recipe), recipe.name)


def device_words(recipe: Recipe) -> tuple[str, ...]:
    """The options of `docker run` that hand over the device, and the memory that its users share."""
    devices = {
        "cuda": ("--gpus=all",),
        "rocm": ("--device=/dev/kfd", "--device=/dev/dri", "--group-add=video", "--group-add=render"),
        "xpu": ("--device=/dev/dri", "--group-add=render"),
        "tpu": ("--privileged",),
    }
    shared = () if recipe.server else ("--shm-size=8g", "--ulimit=memlock=-1", "--ulimit=stack=67108864")
    return (*devices.get(recipe.device or "", ()), *shared)


def _build(recipe: Recipe) -> Iterator[list[str]]:
    stage = "BUILDER" if recipe.base.builder != recipe.base.image else "BASE"
    yield [f"FROM ${{{stage}}} AS build", *_tools(recipe), *_python(recipe), *_install(recipe)]


def _tools(recipe: Recipe) -> Iterator[str]:
    """What is there only while packages are installed."""
    if recipe.compiles:
        yield from _apt(("build-essential", "git", "ninja-build"))


def _python(recipe: Recipe) -> Iterator[str]:
    if recipe.base.python == "uv":
        yield f"COPY --from=ghcr.io/astral-sh/uv:{recipe.uv} /uv /opt/uv/bin/uv"
        yield f"ENV UV_PYTHON_INSTALL_DIR={PYTHONS}"
        yield f"RUN /opt/uv/bin/uv venv --python {recipe.python} --managed-python {ENVIRONMENT}"
    else:
        yield "RUN python3 -m venv /opt/uv \\"
        yield f" && /opt/uv/bin/pip install --no-cache-dir --disable-pip-version-check uv=={recipe.uv} \\"
        yield f" && python3 -m venv --without-pip {ENVIRONMENT}"


def _install(recipe: Recipe) -> Iterator[str]:
    """The lock alone decides: this layer is built again only when it changes."""
    files = "pylock.toml uv.toml" if recipe.compiles else "pylock.toml"
    project = f" --project {FOLDER}" if recipe.compiles else ""
    sync = f"/opt/uv/bin/uv pip sync{project} --python {ENVIRONMENT}/bin/python"
    yield f"COPY {files} {FOLDER}/"
    if recipe.mounts:
        yield "ENV UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1"
        yield f"RUN --mount=type=cache,target={CACHE} {sync} {FOLDER}/pylock.toml"
    else:
        yield "ENV UV_COMPILE_BYTECODE=1"
        yield f"RUN {sync} --no-cache {FOLDER}/pylock.toml"


def _run(recipe: Recipe) -> Iterator[list[str]]:
    folder = "/models" if recipe.server else "/work"
    yield [
        "FROM ${BASE}",
        *(_apt(recipe.system_packages) if recipe.system_packages else ()),
        f"RUN useradd --uid {USER} --create-home --shell /bin/bash user \\",
        f" && install --directory --owner={USER} {folder}",
        *([f"COPY --from=build {PYTHONS} {PYTHONS}"] if recipe.base.python == "uv" else []),
        f"COPY --from=build {ENVIRONMENT} {ENVIRONMENT}",
        *([f"COPY {' '.join(SERVER_FILES)} /opt/"] if recipe.server else []),
        *_setting("ENV", environment(recipe)),
        *_setting("LABEL", labels(recipe)),
        "USER user",
        f"WORKDIR {folder}",
        *_start(recipe),
    ]


def _apt(names: tuple[str, ...]) -> Iterator[str]:
    yield "# hadolint ignore=DL3008"
    yield "RUN apt-get update \\"
    yield f" && apt-get install --yes --no-install-recommends {' '.join(sorted(names))} \\"
    yield " && rm -rf /var/lib/apt/lists/*"


def environment(recipe: Recipe) -> dict[str, str]:
    """The variables of the image."""
    found = {"PATH": f"{ENVIRONMENT}/bin:$PATH", "PYTHONUNBUFFERED": "1"}
    if recipe.device == "cuda":
        found |= {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
        if recipe.requirement:
            found["NVIDIA_REQUIRE_CUDA"] = recipe.requirement
    return found


def labels(recipe: Recipe) -> dict[str, str]:
    """What says of the finished image what it was made for."""
    return {
        "org.opencontainers.image.title": recipe.name,
        "org.opencontainers.image.description": f"{', '.join(recipe.holds)}; Python {recipe.python}",
        "dlsetup.target": recipe.target,
        "dlsetup.lock": f"sha256:{recipe.lock}",
    }


def health_words(recipe: Recipe) -> tuple[str, ...]:
    """What tells that the container is well: the server answers, the GPU is still there, it can import."""
    if recipe.server:
        return ("python", "/opt/serve.py", "--check")
    if recipe.device == "cuda":
        return ("nvidia-smi", "-L")
    return ("python", "-c", f"import {', '.join(recipe.imports)}")


def _start(recipe: Recipe) -> Iterator[str]:
    start = ("python", "/opt/serve.py") if recipe.server else ("bash",) if recipe.purpose == "dev" else ("python",)
    if recipe.server:
        yield f"EXPOSE {PORT}"
    often = "30s" if recipe.server else "5m"
    yield f"HEALTHCHECK --interval={often} --timeout=60s --start-period=60s CMD {json.dumps(health_words(recipe))}"
    yield f"CMD {json.dumps(start)}"


def _setting(word: str, values: dict[str, str]) -> Iterator[str]:
    """One instruction with a line for each value."""
    rows = [f"{name}={_quoted(value, keep='$' if name == 'PATH' else '')}" for name, value in values.items()]
    for place, row in enumerate(rows):
        start = f"{word} " if place == 0 else " " * (len(word) + 1)
        yield f"{start}{row}" + (" \\" if place < len(rows) - 1 else "")


def _quoted(value: str, *, keep: str = "") -> str:
    """A value as Docker reads it back. No line can hold the end of a line: it becomes a space."""
    marks = {"\\": "\\\\", '"': '\\"', "$": "\\$"}
    plain = "".join(sign if sign.isprintable() else " " for sign in value)
    text = "".join(sign if sign in keep else marks.get(sign, sign) for sign in plain)
    return f'"{text}"'
