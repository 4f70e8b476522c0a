"""Which of several findings is the cause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from dlsetup.model.finding import Finding, Role

ORDER = (
    "wsl1-has-no-gpu",
    "mac-python-is-x86-64",
    "macos-too-old-for-mps",
    "wsl-linux-driver-shadows-windows-driver",
    "kernel-module-not-loaded",
    "gpu-fallen-off-the-bus",
    "gpu-memory-fails",
    "gpu-firmware-silent",
    "nvml-driver-library-mismatch",
    "driver-packages-mixed-branches",
    "fabric-manager-version-mismatch",
    "fabric-manager-not-running",
    "driver-state-lost-after-suspend",
    "level-zero-loader-driver-mismatch",
    "container-lost-gpu-cgroup-reload",
    "docker-snap-no-gpu-hook",
    "container-toolkit-missing",
    "image-contains-driver-libs",
    "base-image-tag-removed",
    "ascend-driver-not-mounted",
    "framework-cann-version-mismatch",
    "cann-environment-not-set",
    "tpu-device-node-missing",
    "tpu-held-by-other-process",
    "nvml-refuses",
    "container-cuda-requirement-unsatisfied",
    "cuda-visible-devices-hides-gpus",
    "torch-mig-device-count-bug",
    "tensorflow-no-gpu-on-native-windows",
    "package-has-no-windows-gpu-build",
    "unsatisfiable-pins",
    "package-ended",
    "python-too-new-for-wheel",
    "pytorch-conda-channel-ended",
    "conda-virtual-cuda-missing-at-build",
    "no-build-for-requested-cudatoolkit",
    "distribution-emptied",
    "distribution-listed-twice",
    "duplicate-<framework>-installs",
    "<framework>-by-conda-and-pip",
    "<framework>-cpu-and-gpu-both",
    "<framework>-twins",
    "dependency-replaced-torch",
    "xpu-wheel-replaced-by-cpu",
    "jetson-needs-nvidia-wheel",
    "cpu-only-<framework>",
    "horovod-gpu-needs-cuda-torch",
    "gpu-arch-not-in-wheel",
    "gpu-too-old-for-cudnn",
    "driver-too-old",
    "rocm-gfx-not-in-build",
    "mixed-cuda-majors",
    "toolkit-path-points-to-wrong-cuda",
    "tensorflow-wants-other-cuda-version",
    "onnxruntime-gpu-cuda-version",
    "two-frameworks-share-cudnn",
    "ld-library-path-shadows-wheel-libs",
    "cudnn-parts-from-two-versions",
    "cudnn-major-mismatch",
    "cudnn-too-old-at-runtime",
    "nvjitlink-older-than-cusparse",
    "extension-cxx11-abi-mismatch",
    "torchvision-torch-mismatch",
    "torchaudio-torch-mismatch",
    "extension-built-for-other-torch",
    "numpy2-abi",
    "mkl-too-new-for-torch",
    "tensorflow-without-cuda-wheels",
    "tensorflow-cannot-find-wheel-libs",
    "jax-plugin-mismatch",
    "jax-jaxlib-mismatch",
    "glibc-too-old",
    "libstdcxx-too-old-loaded",
    "windows-runtime-dll-missing",
    "host-compiler-too-new",
    "horovod-release-too-old-for-torch",
    "nvcc-torch-cuda-mismatch",
    "cuda-toolkit-missing-for-build",
    "c-compiler-missing",
    "bundled-ptxas-too-old-for-gpu",
    "tensorrt-engine-version-mismatch",
    "p2p-blocked-by-acs",
    "shm-too-small",
    "cuda-oom-fragmentation",
    "cuda-oom-capacity",
    "installed-files-damaged",
)
"""From the deepest cause to the last symptom: the first error in this order is the primary one."""

EXPLAINS = {
    "kernel-module-not-loaded": (
        "sources-disagree",
        "container-toolkit-missing",
        "secure-boot-unsigned-module",
        "dkms-headers-missing",
    ),
    "nvml-driver-library-mismatch": ("sources-disagree", "driver-packages-mixed-branches"),
    "wsl-linux-driver-shadows-windows-driver": ("sources-disagree",),
    "cpu-only-<framework>": ("dependency-forces-cpu",),
    "mixed-cuda-majors": ("two-frameworks-share-cudnn", "cudnn-too-old-at-runtime"),
    "two-frameworks-share-cudnn": ("cudnn-too-old-at-runtime", "cudnn-major-mismatch"),
    "onnxruntime-gpu-cuda-version": ("cudnn-major-mismatch", "onnxruntime-cpu-and-gpu-both"),
    "torchvision-torch-mismatch": ("duplicate-<framework>-installs", "conda-channels-mixed"),
    "torchaudio-torch-mismatch": ("duplicate-<framework>-installs", "conda-channels-mixed"),
}
"""What a primary finding and a warning beside it have to do with each other. Every other warning is a
remark of its own."""

_WEIGHT = {"error": 0, "warning": 1, "note": 2}
_RANK = {"primary": 0, "contributing": 1, "note": 2}


def matches(pattern: str, finding_id: str) -> bool:
    """Whether an id is one of a pattern: `cpu-only-<framework>` means `cpu-only-torch` too."""
    before, gap, after = pattern.partition("<framework>")
    if not gap:
        return pattern == finding_id
    named = len(finding_id) > len(before) + len(after)
    return named and finding_id.startswith(before) and finding_id.endswith(after)


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings with their roles, the primary one first.

    The deepest error is primary; other errors contribute, and so do warnings that belong to it.
    """
    ordered = sorted(findings, key=lambda item: (_WEIGHT[item.severity], _depth(item.id), item.id))
    primary = next((item for item in ordered if item.severity == "error"), None)
    given = [replace(item, role=_role(item, primary)) for item in ordered]
    return tuple(sorted(given, key=lambda item: _RANK[item.role]))


def _role(finding: Finding, primary: Finding | None) -> Role:
    if finding is primary:
        return "primary"
    if finding.severity == "note" or primary is None:
        return "note"
    if finding.severity == "error":
        return "contributing"
    return "contributing" if _belongs(finding.id, primary.id) else "note"


def _belongs(finding_id: str, primary_id: str) -> bool:
    groups: Iterable[tuple[str, ...]] = (ids for cause, ids in EXPLAINS.items() if matches(cause, primary_id))
    return any(matches(pattern, finding_id) for ids in groups for pattern in ids)


def _depth(finding_id: str) -> int:
    return next((place for place, row in enumerate(ORDER) if matches(row, finding_id)), len(ORDER))
