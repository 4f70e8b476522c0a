"""Reports of drivers, kernels and GPUs: one that trips each finding, and a near miss."""

from __future__ import annotations

from judge_library_cases import reported, said, seen, toolkit
from judge_machines import dist, driver, machine, nvidia, package, variables

from dlsetup.model.machine import Driver, Machine, Sighting

CU121 = dist("torch", "2.1.2+cu121", "cu121")
WORKS = seen("torch.cuda.is_available", "True")
ONE_SLICE = seen("torch.cuda.device_count", "1")
NO_DEVICE = seen("torch.cuda.device_count", "0")
SLICED = nvidia("NVIDIA A100-SXM4-40GB", "8.0", mig=True, mig_instances=2)
MIG = variables(CUDA_VISIBLE_DEVICES="MIG-00000000-0000-0000-0000-00000000000a")
MANAGER = package("nvidia-fabricmanager-550", "550.90.07-1")
UNLOADED = Driver(module=None, nvml_error="DRIVER_NOT_LOADED")


def dkms(kernel: str) -> tuple[Sighting, ...]:
    return (Sighting(fact="dkms module", value=f"550.120 {kernel} installed", source="shell.txt:3"),)


HOST_CASES: dict[str, tuple[Machine, Machine]] = {
    "fabric-manager-not-running": (
        reported(machine(), said("cuda-802")),
        reported(machine(), said("cuda-unknown-error")),
    ),
    "fabric-manager-version-mismatch": (
        machine(packages=(MANAGER,), driver=driver("550.120")),
        machine(packages=(MANAGER,), driver=driver("550.90.07")),
    ),
    "driver-state-lost-after-suspend": (
        reported(machine(), said("cuda-unknown-error"), said("suspended")),
        reported(machine(), said("suspended")),
    ),
    "p2p-blocked-by-acs": (
        reported(machine(), said("acs-redirects"), said("nccl-via-p2p"), said("hangs")),
        reported(machine(), said("nccl-via-p2p"), said("hangs")),
    ),
    "torch-mig-device-count-bug": (
        reported(machine(dist("torch", "1.13.1+cu117", "cu117"), gpus=(SLICED,), variables=MIG), NO_DEVICE),
        reported(machine(dist("torch", "2.1.2+cu121", "cu121"), gpus=(SLICED,), variables=MIG), NO_DEVICE),
    ),
    "mig-one-instance-per-process": (
        reported(machine(gpus=(SLICED,)), ONE_SLICE),
        reported(machine(gpus=(nvidia(),)), ONE_SLICE),
    ),
    "cuda-numbers-differ": (
        reported(machine(CU121, toolkits=(toolkit("10.1"),)), WORKS),
        reported(machine(CU121, toolkits=(toolkit("10.1"),))),
    ),
    "dkms-headers-missing": (
        machine(driver=UNLOADED, sightings=dkms("6.8.0-41-generic")),
        machine(driver=UNLOADED, sightings=dkms("6.8.0-45-generic")),
    ),
}
