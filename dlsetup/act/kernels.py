"""The kernels that Jupyter finds for this user, and one more."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.plan.kernel import Kernel


def kernels_folder(environ: Mapping[str, str]) -> Path:
    """Where the user's own kernels lie, as jupyter_core finds it. Raises `UsageError`."""
    if environ.get("JUPYTER_DATA_DIR"):
        return Path(os.path.abspath(environ["JUPYTER_DATA_DIR"])) / "kernels"
    if sys.platform == "win32":
        data = environ.get("APPDATA")
        return Path(data) / "jupyter" / "kernels" if data else _home(environ) / ".jupyter/data/kernels"
    if sys.platform == "darwin":
        return _home(environ) / "Library/Jupyter/kernels"
    data = environ.get("XDG_DATA_HOME")
    return (Path(data) if data else _home(environ) / ".local/share") / "jupyter/kernels"


def _home(environ: Mapping[str, str]) -> Path:
    home = environ.get("USERPROFILE" if sys.platform == "win32" else "HOME")
    if not home:
        raise UsageError("this user has no home folder for a kernel", hint="name one with `JUPYTER_DATA_DIR`")
    return Path(home)


def check_kernel_free(name: str, environ: Mapping[str, str]) -> None:
    """Raises `UsageError` where Jupyter knows a kernel of that name, in whichever case."""
    for folder in _all_folders(environ):
        with contextlib.suppress(OSError):
            taken = next((item for item in os.listdir(folder) if item.lower() == name.lower()), None)
            if taken is not None:
                raise UsageError(
                    f"Jupyter has a kernel `{taken}` already, in `{folder}`, and it is left as it is",
                    hint=f"choose another name, or remove it first: `jupyter kernelspec remove {taken}`",
                )


def _all_folders(environ: Mapping[str, str]) -> Iterator[Path]:
    for item in filter(None, environ.get("JUPYTER_PATH", "").split(os.pathsep)):
        yield Path(item) / "kernels"
    yield kernels_folder(environ)
    if sys.platform == "win32":
        if environ.get("PROGRAMDATA"):
            yield Path(environ["PROGRAMDATA"]) / "jupyter" / "kernels"
        return
    yield from (Path("/usr/local/share/jupyter/kernels"), Path("/usr/share/jupyter/kernels"))


def register(kernel: Kernel) -> None:
    """Writes it whole, or leaves nothing. Raises `StepFailed`, also where the name was taken meanwhile."""
    folder = Path(kernel.folder)
    try:
        os.makedirs(folder.parent, exist_ok=True)
        os.mkdir(folder)
    except OSError as error:
        raise StepFailed(
            f"the kernel `{kernel.name}` cannot be registered: {folder}: {error.strerror}.",
            hint="choose another name, or another folder with `JUPYTER_DATA_DIR`.",
        ) from error
    try:
        Path(kernel.file).write_text(kernel.text, "utf-8")
    except BaseException as error:
        with contextlib.suppress(OSError):
            Path(kernel.file).unlink(missing_ok=True)
            folder.rmdir()
        if isinstance(error, OSError):
            raise StepFailed(
                f"`{kernel.file}` cannot be written: {error.strerror}.", hint="check the space that is left."
            ) from error
        raise
