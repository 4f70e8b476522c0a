"""The NVIDIA driver and its GPUs, from every source that says something, NVML first."""

from __future__ import annotations

from dlsetup.model.machine import Driver, Gpu
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.versions import DriverRelease
from dlsetup.probe.confinement import is_wsl
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes
from dlsetup.probe.nvidia_files import DriverFiles, driver_files
from dlsetup.probe.nvidia_smi import SmiAnswer, ask_smi, smi_path
from dlsetup.probe.nvml import NvmlAnswer, NvmlGpu, ask_nvml


class Nvidia(Record, frozen=True, kw_only=True):
    """`gpus` unknown: no source could list them. `answered`: NVML or nvidia-smi listed them."""

    driver: Driver | None | Unknown
    gpus: tuple[Gpu, ...] | Unknown = UNKNOWN

    @property
    def answered(self) -> bool:
        return not isinstance(self.gpus, Unknown)


def nvidia(host: Host, notes: Notes) -> Nvidia:
    """Look at files, ask NVML where its library exists, and nvidia-smi where NVML could not be asked.

    After a hang nvidia-smi is not asked: it uses the same library.
    """
    if host.platform == "darwin":
        return Nvidia(driver=None)
    files = driver_files(host, notes)
    nvml = ask_nvml(host, notes, files.nvml) if files.nvml else NvmlAnswer()
    path = smi_path(host)
    ask_it = nvml.error in (UNKNOWN, "FUNCTION_NOT_FOUND") and not nvml.hung
    smi = ask_smi(host, notes, path) if path and ask_it else SmiAnswer()
    if files.nothing and path is None:
        return Nvidia(driver=None)
    _note_words(notes, host, nvml, smi)
    source, listed = ("nvml", nvml.gpus) if not isinstance(nvml.gpus, Unknown) else ("nvidia-smi", smi.gpus)
    return Nvidia(
        driver=_driver(host, files, nvml, smi),
        gpus=UNKNOWN if isinstance(listed, Unknown) else tuple(_gpu(item, source) for item in listed),
    )


def _driver(host: Host, files: DriverFiles, nvml: NvmlAnswer, smi: SmiAnswer) -> Driver:
    told = nvml.driver if nvml.driver is not UNKNOWN else smi.driver
    module, userland = files.module, files.userland
    if host.platform == "win32":
        module = userland = told
    elif is_wsl(host):
        # The module runs in Windows; the libraries that Windows lends have no release in their names.
        module, userland = UNKNOWN, userland if told is UNKNOWN else told
    elif told is not UNKNOWN:
        # Only a loaded module answers, even where its files are hidden from a container.
        module, userland = module or told, told if userland is None else userland
    return Driver(
        module=module,
        userland=userland,
        cuda_ceiling=nvml.cuda if nvml.cuda is not UNKNOWN else smi.cuda,
        nvml_error=_refusal(files, nvml, smi),
        found_via=_source(files, nvml, smi),
    )


def _refusal(files: DriverFiles, nvml: NvmlAnswer, smi: SmiAnswer) -> str | None | Unknown:
    """NVML's name for why it refuses: to start at all, or to hand out a GPU."""
    if files.nvml is None:
        return "LIBRARY_NOT_FOUND" if smi.gpus is UNKNOWN else UNKNOWN
    if nvml.error is not None or isinstance(nvml.gpus, Unknown):
        return nvml.error
    return next((gpu.lost for gpu in nvml.gpus if gpu.lost), None)


def _source(files: DriverFiles, nvml: NvmlAnswer, smi: SmiAnswer) -> str:
    """The best source that said anything."""
    if nvml.error is None:
        return "nvml"
    if smi.gpus is not UNKNOWN:
        return "nvidia-smi"
    return "kernel module" if isinstance(files.module, DriverRelease) else files.nvml or files.cuda or ""


def _gpu(item: NvmlGpu, source: str) -> Gpu:
    capability = item.capability
    return Gpu(
        vendor="nvidia",
        name=item.name,
        arch=UNKNOWN if isinstance(capability, Unknown) else capability.sm,
        compute_capability=capability,
        memory_bytes=item.memory_bytes,
        mig=item.mig,
        mig_instances=item.instances,
        pci=item.pci,
        found_via=source,
    )


def _note_words(notes: Notes, host: Host, nvml: NvmlAnswer, smi: SmiAnswer) -> None:
    """Each source's word. NVML's release is the module's, or that of the driver in Windows."""
    fact = "driver.userland" if is_wsl(host) else "driver.module"
    for source, answer in (("NVML", nvml), ("nvidia-smi", smi)):
        if not isinstance(answer.driver, Unknown):
            notes.saw(fact, answer.driver, source)
        if not isinstance(answer.cuda, Unknown):
            notes.saw("driver.cuda_ceiling", answer.cuda, source)
        for gpu in () if isinstance(answer.gpus, Unknown) else answer.gpus:
            if not isinstance(gpu.name, Unknown):
                notes.saw(f"gpu[{gpu.index}].name", gpu.name, source)
