"""Does a build hold code that this GPU runs, and does it for every GPU in use?

Machine code (a cubin, `sm_86`) runs on GPUs of the same major and the same or a higher minor, but code
made for one very capability (`sm_120a`) on that one alone; PTX (`compute_90`) is compiled by the driver
for any newer GPU, if the driver knows the CUDA that made it.
"""

from __future__ import annotations

from dlsetup.model.framework import Accelerator, Build
from dlsetup.model.hardware import CudaToolkit, Hardware
from dlsetup.model.machine import Gpu, Vendor
from dlsetup.model.record import Unknown
from dlsetup.model.target import Target
from dlsetup.model.verdict import Verdict
from dlsetup.model.versions import ComputeCapability, CudaVersion
from dlsetup.rules.combine import all_of, no, unknown, yes
from dlsetup.rules.driver import ceiling_of, driver_drives, same_line
from dlsetup.rules.gpus import DEVICES, capability_of, gfx_of, one_of_each, title_of

RULE = "kernels"
VENDOR_OF: dict[Accelerator, Vendor] = {
    "cuda": "nvidia",
    "rocm": "amd",
    "xpu": "intel",
    "mps": "apple",
    "tpu": "google",
    "ascend": "ascend",
}
INTEGRATED = frozenset(ComputeCapability(text) for text in ("5.3", "6.2", "7.2", "8.7"))
"""GPUs of boards such as Jetson: code for them and code for their discrete siblings do not mix."""
SHARED = frozenset(ComputeCapability(text) for text in ("7.2", "8.7"))
SHARED_FROM = CudaVersion("13.2")
"""From this CUDA on those boards run the code of their discrete siblings."""
THOR = ComputeCapability("11.0")
THOR_OLD = ComputeCapability("10.1")
"""The same chip: CUDA 12.8 and 12.9 call it 10.1, later ones 11.0."""


def kernels_run_on(build: Build, gpu: Gpu, target: Target, hardware: Hardware) -> Verdict:
    """Whether `build` has code for `gpu`, under the driver of `target`."""
    vendor = VENDOR_OF.get(build.accelerator)
    if vendor is None:
        return yes(RULE, f"{name_of(build)} needs no GPU")
    if gpu.vendor != vendor:
        return no(RULE, f"{name_of(build)} is made for {DEVICES[vendor]}s", *build.sources)
    if vendor == "apple":
        return yes(RULE, f"{name_of(build)} runs on the GPU of Apple silicon", *build.sources)
    if vendor == "amd":
        return _by_gfx(build, gpu, hardware)
    if vendor != "nvidia":
        text = f"no row tells for which {DEVICES[vendor]}s {name_of(build)} holds code"
        return unknown(RULE, text, *build.sources)
    capability = capability_of(gpu, hardware)
    if isinstance(capability, Unknown):
        return unknown(RULE, f"the compute capability of {title_of(gpu, hardware)} is not known")
    too_old = _too_old(build, capability, hardware)
    return too_old or _by_code(build, capability, target, hardware)


def serves_every_gpu(build: Build, target: Target, hardware: Hardware) -> Verdict:
    """Whether `build` serves every GPU of its vendor; the weakest of them decides, not the best.

    GPUs of other vendors (a processor's own graphics) do not count; whether there is a GPU at all is
    asked by `has_device`.
    """
    vendor = VENDOR_OF.get(build.accelerator)
    if vendor is None:
        return yes(RULE, f"{name_of(build)} needs no GPU")
    if isinstance(target.gpus, Unknown):
        return unknown(RULE, f"the GPUs of {target.name} are not known")
    concerned = one_of_each(gpu for gpu in target.gpus if gpu.vendor == vendor)
    verdicts = [kernels_run_on(build, gpu, target, hardware) for gpu in concerned]
    return all_of(verdicts, rule=RULE)


def has_device(accelerator: Accelerator, target: Target) -> Verdict:
    """Whether the target has a GPU of the kind that `accelerator` means."""
    vendor = VENDOR_OF.get(accelerator)
    if vendor is None:
        return yes("device")
    if isinstance(target.gpus, Unknown):
        return unknown("device", f"the GPUs of {target.name} are not known")
    if any(gpu.vendor == vendor for gpu in target.gpus):
        return yes("device", f"{target.name} has the device: {DEVICES[vendor]}")
    return no("device", f"{target.name} has no {DEVICES[vendor]}")


def driver_drives_every_gpu(target: Target, hardware: Hardware) -> Verdict:
    """Whether the driver still supports every NVIDIA GPU of the target."""
    gpus = () if isinstance(target.gpus, Unknown) else one_of_each(target.gpus)
    verdicts = [driver_drives(target, gpu, hardware) for gpu in gpus if gpu.vendor == "nvidia"]
    return all_of(verdicts, rule="driver")


def cubin_runs_on(code: ComputeCapability, gpu: ComputeCapability, cuda: CudaVersion | None) -> bool:
    """Whether machine code for `code`, made by the toolkit `cuda`, runs on a GPU of capability `gpu`."""
    code, gpu = (THOR if item == THOR_OLD else item for item in (code, gpu))
    if code.major != gpu.major or code > gpu:
        return False
    if code in INTEGRATED:
        return code == gpu
    shared = cuda is not None and cuda >= SHARED_FROM and gpu in SHARED
    return gpu not in INTEGRATED or shared


def name_of(build: Build) -> str:
    """`torch 2.14.1 (cu126)`."""
    return f"{build.framework} {build.version} ({build.variant})"


def toolkit_of(cuda: CudaVersion, hardware: Hardware) -> CudaToolkit | None:
    """The row of this toolkit, or one of its line."""
    line = [row for row in hardware.toolkits if same_line(row.version, cuda)]
    return next((row for row in line if row.version == cuda), line[0] if line else None)


def _by_gfx(build: Build, gpu: Gpu, hardware: Hardware) -> Verdict:
    """Code for AMD's GPUs runs on the very architecture that it was made for."""
    gfx = gfx_of(gpu, hardware)
    if isinstance(gfx, Unknown):
        return unknown(RULE, f"the architecture (gfx) of {title_of(gpu, hardware)} is not known")
    if isinstance(build.gfx, Unknown):
        return unknown(RULE, f"no row tells whether {name_of(build)} holds code for {gfx}", *build.sources)
    if gfx in build.gfx:
        return yes(RULE, f"{name_of(build)} holds code for {gfx}", *build.sources)
    return no(RULE, f"{name_of(build)} holds no code for {gfx}", *build.sources)


def _too_old(build: Build, capability: ComputeCapability, hardware: Hardware) -> Verdict | None:
    """The refusal of a GPU below what the authors or the toolkit support."""
    least = build.min_capability
    if not isinstance(least, Unknown) and capability < least:
        return no(RULE, f"{name_of(build)} needs a GPU of {least.sm} or newer", *build.sources)
    toolkit = toolkit_of(build.cuda, hardware) if build.cuda else None
    if toolkit and not isinstance(toolkit.min_capability, Unknown) and capability < toolkit.min_capability:
        text = f"CUDA {toolkit.version.line} supports GPUs from {toolkit.min_capability.sm} on"
        return no(RULE, text, toolkit.code_source)
    return None


def _by_code(build: Build, capability: ComputeCapability, target: Target, hardware: Hardware) -> Verdict:
    sources = build.sources
    if _has_kernels(build, capability):
        return yes(RULE, f"{name_of(build)} holds code for {capability.sm}", *sources)
    ptx = () if isinstance(build.ptx, Unknown) else build.ptx
    unsure = isinstance(build.kernels, Unknown) and toolkit_makes_code(build, capability, hardware)
    if any(code <= capability for code in ptx):
        by_ptx = _ptx_loads(build, target, hardware)
        if by_ptx.ok or not unsure:
            return by_ptx
    if unsure or isinstance(build.ptx, Unknown):
        return unknown(
            RULE, f"no row tells whether {name_of(build)} holds code for {capability.sm}", *sources
        )
    return no(RULE, f"{name_of(build)} holds no code for {capability.sm}", *sources)


def _has_kernels(build: Build, capability: ComputeCapability) -> bool:
    kernels = () if isinstance(build.kernels, Unknown) else build.kernels
    fitting = (code for code in kernels if code == capability or code not in build.exact)
    return any(cubin_runs_on(code, capability, build.cuda) for code in fitting)


def toolkit_makes_code(build: Build, capability: ComputeCapability, hardware: Hardware) -> bool:
    """Whether the toolkit of the build can make machine code that the GPU runs; true if nobody can tell."""
    toolkit = toolkit_of(build.cuda, hardware) if build.cuda else None
    if toolkit is None or isinstance(toolkit.capabilities, Unknown):
        return True
    return any(cubin_runs_on(code, capability, build.cuda) for code in toolkit.capabilities)


def _ptx_loads(build: Build, target: Target, hardware: Hardware) -> Verdict:
    """PTX loads only if the driver knows at least the CUDA that made it."""
    ceiling = ceiling_of(target, hardware)
    if build.cuda is None or isinstance(ceiling, Unknown):
        return unknown(RULE, f"the newest CUDA that the driver of {target.name} knows is not known")
    text = f"the PTX of {name_of(build)} needs a driver that knows CUDA {build.cuda.line}"
    return yes(RULE, text, *build.sources) if ceiling >= build.cuda.line else no(RULE, text, *build.sources)
