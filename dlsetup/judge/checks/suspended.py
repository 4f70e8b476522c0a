"""CUDA after the machine has slept."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.evidence import of_message
from dlsetup.judge.host import driver_scope
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.machine import Gap

RELOAD = ("sudo rmmod nvidia_uvm", "sudo modprobe nvidia_uvm")


@check("driver-state-lost-after-suspend")
def lost(scene: Scene) -> Iterator[Answer]:
    """CUDA answers 999 (unknown error) while the driver works; certain once a suspend is seen."""
    errors = scene.messages("cuda-unknown-error")
    slept = scene.messages("suspended")
    if not errors or scene.target.os == "windows" or scene.nvml_refuses:
        return
    yield Finding(
        id="driver-state-lost-after-suspend",
        severity="error" if slept else "warning",
        title="CUDA lost its driver state" + (" while the machine was suspended" if slept else ""),
        because="CUDA starts with error 999 although the driver answers: after suspend and resume the module "
        "`nvidia_uvm` holds a state that is no longer true until it is loaded anew.",
        evidence=tuple(map(of_message, (*errors[:2], *slept[:2]))),
        remedies=(
            Remedy(
                text="End the programs that use the GPU and load the module anew (or restart the machine).",
                commands=RELOAD,
                scope=driver_scope(scene),
            ),
            Remedy(
                text="To keep it from happening again, let the driver save its memory before sleep.",
                commands=(
                    "echo 'options nvidia NVreg_PreserveVideoMemoryAllocations=1' | sudo tee "
                    "/etc/modprobe.d/nvidia-power.conf",
                    "sudo systemctl enable nvidia-suspend nvidia-resume nvidia-hibernate",
                ),
                scope=driver_scope(scene),
            ),
        ),
        rests_on=scene.sources(("cuda-errors",)),
    )
    if not slept:
        reason = "CUDA's unknown error (999) most often follows a suspend, and none is seen here"
        yield Gap(fact="suspend and resume", reason=reason, ask="journalctl -k | grep -i suspend")
