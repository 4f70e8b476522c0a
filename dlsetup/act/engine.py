"""A container engine that builds images and runs programs in them: Docker's, or podman's over its socket."""

from __future__ import annotations

import contextlib
import io
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dlsetup.model.errors import StepFailed, ToolMissing
from dlsetup.probe.programs import Outcome

PLACE = "/tmp/dlsetup-verify"
"""Where the programs that look at frameworks lie in a container."""
HINT = "start Docker, or name another engine with DOCKER_HOST; podman: `systemctl --user start podman.socket`"
NOT_BUILT = "what it said before stands above; the Dockerfile is left to look at."


class Engine:
    """One engine, asked through the Docker SDK. Raises `ToolMissing` where none answers."""

    def __init__(self) -> None:
        import docker

        try:
            self.client: Any = docker.from_env()
            self.client.ping()
        except Exception as error:  # the SDK lets errors of every library below it through
            raise ToolMissing(f"no container engine answers: {str(error)[:300]}", hint=HINT) from error

    def hands_out_gpus(self) -> bool:
        """Whether NVIDIA's runtime, or a CDI device, is known to it."""
        told = self.client.info()
        return "nvidia" in (told.get("Runtimes") or {}) or bool(told.get("DiscoveredDevices"))

    def digest(self, image: str) -> str:
        """`sha256:…` of what the name means, as its registry says, or as it was pulled; empty: unknown."""
        from docker.errors import DockerException
        from requests.exceptions import RequestException

        try:
            return str(self.client.images.get_registry_data(image).id)
        except (DockerException, RequestException):
            pass
        try:
            pulled = self.client.images.get(image).attrs.get("RepoDigests") or [""]
        except (DockerException, RequestException):
            return ""
        return str(pulled[0].partition("@")[2])

    def build(self, folder: str, network: str | None, heard: Callable[[str], None]) -> str:
        """Builds the folder's Dockerfile and gives the image's id. Raises `StepFailed`.

        `heard` gets what the engine says, as it says it.
        """
        from docker.errors import DockerException
        from requests.exceptions import RequestException

        options = {"network_mode": network} if network else {}
        image = ""
        try:
            for said in self.client.api.build(path=folder, rm=True, forcerm=True, decode=True, **options):
                if "error" in said:
                    raise StepFailed(f"the image was not built: {str(said['error'])[:600]}", hint=NOT_BUILT)
                image = str((said.get("aux") or {}).get("ID") or image)
                text = str(said.get("stream") or said.get("status") or "").strip()
                if text:
                    heard(text)
        except (DockerException, RequestException) as error:
            raise StepFailed(f"the image was not built: {str(error)[:600]}", hint=HINT) from error
        if not image:
            raise StepFailed("the engine built an image and did not say which", hint=NOT_BUILT)
        return image

    def name(self, image: str, tag: str) -> None:
        """Gives the image of that id a name, which another may have had. Raises `StepFailed`."""
        repository, _, version = tag.rpartition(":") if ":" in tag.rpartition("/")[2] else (tag, "", "latest")
        if not self.client.api.tag(image, repository, version):
            raise StepFailed(f"the engine does not call {image[:19]} `{tag}`", hint=HINT)

    def remove(self, image: str) -> None:
        """Takes an image away; one that cannot be taken away stays."""
        from docker.errors import DockerException

        with contextlib.suppress(DockerException):
            self.client.images.remove(image)


class Inside:
    """An image as a place where the programs of `verify` run: it has `run`, as a host does."""

    def __init__(self, engine: Engine, image: str, programs: Path, *, gpus: bool) -> None:
        self.client = engine.client
        self.image = image
        self.programs = programs
        """The folder that is carried in; words that name something in it name it inside."""
        self.gpus = gpus

    def run(self, argv: Sequence[str], deadline: float) -> Outcome:
        """Runs a program in a container of its own, which is removed whatever happens."""
        from docker.errors import DockerException
        from docker.types import DeviceRequest
        from requests.exceptions import RequestException

        asked = [DeviceRequest(count=-1, capabilities=[["gpu"]])] if self.gpus else []
        words = [word.replace(str(self.programs), PLACE, 1) for word in argv]
        container = None
        try:
            container = self.client.containers.create(
                self.image, entrypoint=words, command=[], device_requests=asked, network_mode="none"
            )
            container.put_archive("/tmp", _packed(self.programs))
            container.start()
            code = container.wait(timeout=deadline)["StatusCode"]
            out, err = (
                container.logs(stdout=way, stderr=not way).decode("utf-8", "replace") for way in (True, False)
            )
            return Outcome(code=code, out=out, err=err)
        except (DockerException, RequestException) as error:
            return Outcome(code=None, reason=f"the container gave no answer: {str(error)[:300]}")
        finally:
            if container is not None:
                container.remove(force=True)


def _packed(folder: Path) -> bytes:
    """The programs of a folder, as an archive whose one folder is the place inside."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path in sorted(folder.rglob("*.py")):
            name = f"{Path(PLACE).name}/{path.relative_to(folder).as_posix()}"
            archive.add(path, name, filter=_readable)
    return packed.getvalue()


def _readable(item: tarfile.TarInfo) -> tarfile.TarInfo:
    item.mode, item.uid, item.gid = 0o644, 0, 0
    return item
