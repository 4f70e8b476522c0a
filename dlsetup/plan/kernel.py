"""A Jupyter kernel for an environment: what is written, and where."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import PurePath, PurePosixPath, PureWindowsPath

from dlsetup.model.errors import UsageError
from dlsetup.model.record import Record
from dlsetup.model.resolution import Plan
from dlsetup.model.steps import Run, Step, Write

PACKAGE = "ipykernel"
_OWN = ("python3", "python2", "python")
"""Names that Jupyter gives to the kernel of whichever environment it runs in."""


class Kernel(Record, frozen=True, kw_only=True):
    """A kernel as Jupyter finds it: a folder of that name with `kernel.json` in it."""

    name: str
    folder: str
    text: str

    @property
    def file(self) -> str:
        separator = "\\" if "\\" in self.folder and "/" not in self.folder else "/"
        return f"{self.folder}{separator}kernel.json"


def check_kernel_name(name: str) -> None:
    """Raises `UsageError` for a name that Jupyter does not take, or that would stand for another kernel."""
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,100}", name) or not name.strip("._-"):
        raise UsageError(
            f"Jupyter takes no kernel of the name {name[:100]!r}",
            hint="use letters, digits, `.`, `_` and `-`, for example `--kernel demo`",
        )
    if name.lower() in _OWN:
        raise UsageError(
            f"`{name}` is what Jupyter calls the kernel of the environment that it runs in",
            hint="choose another name, for example `--kernel demo`",
        )


def kernel_for(
    name: str, kernels: PurePath, python: str, plan: Plan, *, variables: Mapping[str, str] | None = None
) -> Kernel:
    """`kernels`: the folder that holds the user's. `python`: the environment's, in its place.

    `variables`: what activating would set; Jupyter puts the value of `NAME` in place of `${NAME}`.
    """
    found = re.search(r"\{(connection_file|prefix|resource_dir)\}", python)
    if found:
        raise UsageError(
            f"Jupyter would replace `{found[0]}` in the path of the environment", hint="choose another place"
        )
    # The debugger needs modules that are no part of the interpreter itself.
    plain = () if (plan.python.major, plan.python.minor) < (3, 11) else ("-Xfrozen_modules=off",)
    about = {
        "argv": [python, *plain, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": f"{name} (Python {plan.python})",
        "language": "python",
        "metadata": {"debugger": True},
        **({"env": dict(variables)} if variables else {}),
    }
    text = json.dumps(about, indent=1, ensure_ascii=True) + "\n"
    return Kernel(name=name, folder=str(kernels / name), text=text)


def activated(python: str, *, windows: bool) -> dict[str, str]:
    """What activating an environment of conda sets, and starting its Python alone does not.

    Its compilers and `ptxas` are found on PATH; on Windows its libraries are, too.
    """
    path = PureWindowsPath(python) if windows else PurePosixPath(python)
    home = path.parent if windows else path.parent.parent
    names = ("", "Library/bin", "Scripts") if windows else ("bin",)
    folders = (";" if windows else ":").join(str(home / name) for name in names)
    told = {"CONDA_PREFIX": str(home), "PATH": folders}
    plain = {name: text.replace("$", "$$") for name, text in told.items()}
    return {**plain, "PATH": f"{plain['PATH']}{';' if windows else ':'}${{PATH}}"}


def kernel_steps(kernel: Kernel) -> tuple[Step, ...]:
    """The same for a shell: making the folder fails where somebody has a kernel of that name."""
    parent = kernel.folder[: -len(kernel.name) - 1]
    return (
        Run(argv=("mkdir", "-p", parent), why="make sure that Jupyter has a folder for kernels"),
        Run(argv=("mkdir", kernel.folder), why=f"take the name {kernel.name}, if nobody has it"),
        Write(path=kernel.file, text=kernel.text, why="register the environment with Jupyter"),
    )
