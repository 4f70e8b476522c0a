"""The Jupyter kernel that `create env --kernel` asks for."""

from __future__ import annotations

from msgspec.structs import replace

from dlsetup.act.environment import Build
from dlsetup.act.kernels import check_kernel_free, kernels_folder
from dlsetup.commands.builds import BY_CONDA, Request, tool_of
from dlsetup.model.errors import StepFailed
from dlsetup.model.resolution import Plan
from dlsetup.model.steps import Procedure
from dlsetup.model.wish import Wish
from dlsetup.plan.environment import Place
from dlsetup.plan.kernel import PACKAGE, Kernel, activated, check_kernel_name, kernel_for, kernel_steps
from dlsetup.plan.rattler import Refusal
from dlsetup.probe.host import Host


def check_kernel(request: Request, host: Host) -> None:
    """Raises `UsageError` for a name that cannot be had."""
    if request.kernel is not None:
        check_kernel_name(request.kernel)
        check_kernel_free(request.kernel, host.environ)


def with_kernel(wish: Wish, request: Request) -> Wish:
    """The wish with what a kernel needs, where one is asked for."""
    return wish if request.kernel is None else replace(wish, packages=(*wish.packages, PACKAGE))


def kernel_of(request: Request, host: Host, place: Place, plan: Plan, build: Build) -> Kernel | None:
    """The kernel of the environment in its place; None: none is asked for."""
    if request.kernel is None:
        return None
    python = build.python.replace(place.work, place.final, 1)
    variables = activated(python, windows=place.windows) if tool_of(request) in BY_CONDA else None
    return kernel_for(request.kernel, kernels_folder(host.environ), python, plan, variables=variables)


def check_kernel_had(request: Request, refusal: Refusal) -> None:
    """Raises `StepFailed` where the channel lacks what a kernel needs, and no framework is to blame."""
    lacking = {name for name, versions in refusal.offered if not versions}
    if request.kernel is not None and PACKAGE in lacking:
        raise StepFailed(
            f"the channel has no {PACKAGE}, which a Jupyter kernel needs.",
            hint="leave out `--kernel`, or build with `--with uv`.",
        )


def and_kernel(procedure: Procedure, kernel: Kernel | None) -> Procedure:
    """The procedure with the steps that register the kernel."""
    return (
        procedure if kernel is None else replace(procedure, steps=(*procedure.steps, *kernel_steps(kernel)))
    )
