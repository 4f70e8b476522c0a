"""A container engine: builds an image as it is told, and runs a program in it. Docker's, or podman's socket."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dlsetup.model.errors import StepFailed, ToolMissing
from dlsetup.probe.programs import Outcome

CHECKS = "/tmp/dlsetup-verify"
HINT = "start Docker, or name another engine with DOCKER_HOST; podman: `systemctl --user start podman.socket`"


class Engine:
    """One engine, asked through the Docker SDK. Raises `ToolMissing` where none answers."""

    def __init__(self, address: str | None) -> None:
        import docker

        try:
            self.client: Any = docker.DockerClient(base_url=address) if address else docker.from_env()
            self.client.ping()
        except Exception as error:  # the SDK lets errors of every library below it through
            raise ToolMissing(f"no container engine answers: {str(error)[:300]}", hint=HINT) from error

    def build(self, folder: str, tag: str, *, network: str | None = None) -> Iterator[str]:
        """Builds the folder's Dockerfile and yields what the engine says. Raises `StepFailed`."""
        from docker.errors import DockerException
        from requests.exceptions import RequestException

        options = {"network_mode": network} if network else {}
        try:
            for said in self.client.api.build(path=folder, tag=tag, rm=True, decode=True, **options):
                if "error" in said:
                    raise StepFailed(f"the image was not built: {str(said['error'])[:600]}", hint="see above.")
                text = str(said.get("stream") or said.get("status") or "").strip()
                if text:
                    yield text
        except (DockerException, RequestException) as error:
            raise StepFailed(f"the image was not built: {str(error)[:600]}", hint=HINT) from error


class Inside:
    """An image as a place where the programs of `verify` run: it has `run`, as a host does."""

    def __init__(self, engine: Engine, image: str, *, gpus: bool) -> None:
        self.client = engine.client
        self.image = image
        self.gpus = gpus

    def run(self, argv: Sequence[str], deadline: float) -> Outcome:
        """Runs a program in a container of its own, which is removed whatever happens."""
        from docker.types import DeviceRequest

        asked = [DeviceRequest(count=-1, capabilities=[["gpu"]])] if self.gpus else []
        container = self.client.containers.create(
            self.image, entrypoint=list(argv), command=[], device_requests=asked, network_mode="none"
        )
        try:
            container.put_archive("/tmp", _checks())
            container.start()
            code = container.wait(timeout=deadline)["StatusCode"]
            out, err = (
                container.logs(stdout=way, stderr=not way).decode("utf-8", "replace") for way in (True, False)
            )
            return Outcome(code=code, out=out, err=err)
        except Exception as error:  # the SDK lets errors of every library below it through
            return Outcome(code=None, reason=f"the container gave no answer: {str(error)[:300]}")
        finally:
            container.remove(force=True)


def _checks() -> bytes:
    """The programs that look at frameworks, as an archive."""
    import dlsetup.verify

    root = Path(dlsetup.verify.__file__).parent
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path in (root / "child.py", *sorted((root / "programs").glob("*.py"))):
            archive.add(path, f"{Path(CHECKS).name}/{path.relative_to(root)}", filter=_readable)
    return packed.getvalue()


def _readable(item: tarfile.TarInfo) -> tarfile.TarInfo:
    item.mode, item.uid, item.gid = 0o644, 0, 0
    return item
