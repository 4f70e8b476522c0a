"""Environments that are broken in every way that `dlsetup fix` mends, alone and combined."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tiny.broken import Broken, Fix
from tiny.index import TinyIndex

CPU, CU126, DEFAULT = "pytorch-cpu", "pytorch-cu126", "default"
H100 = ("NVIDIA H100", "9.0", "580.65.06")
OLD_DRIVER = ("NVIDIA H100", "9.0", "535.129.03")
NEW_GPU = ("NVIDIA GeForce RTX 5090", "12.0", "580.65.06")
Moves = Mapping[str, tuple[str | None, str | None]]


@dataclass(frozen=True)
class Fault:
    """What is put into an environment one after the other, by index; what is done to it; what mends it."""

    name: str
    kind: str
    puts: tuple[tuple[str, ...], ...]
    """The index first."""
    moves: Moves = field(default_factory=dict)
    gpu: tuple[str, str, str] | None = None
    harm: tuple[Callable[[Broken], None], ...] = ()
    files: tuple[str, ...] = ()
    """Endings of the paths that are written or removed."""
    library_path: bool = False
    before: str = ""
    """Python from which on it cannot be: `3.13`."""

    def make(self, fix: Fix, index: TinyIndex) -> None:
        for source, *requirements in self.puts:
            fix.broken.put(*requirements, index=index.address(source))
        for harm in self.harm:
            harm(fix.broken)
        if self.gpu is not None:
            fix.give_gpu(*self.gpu)
        if self.library_path:
            fix.command.environ["LD_LIBRARY_PATH"] = f"{rival(fix.broken)}:/opt/of-others"

    @property
    def possible(self) -> bool:
        return not self.before or sys.version_info < tuple(int(part) for part in self.before.split("."))


def site(broken: Broken) -> Path:
    return next(broken.folder.glob("lib/python*/site-packages"))


def rival(broken: Broken) -> Path:
    """A folder with an older cuDNN than that of the wheels."""
    folder = broken.folder.parent / "toolkit" / "lib64"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "libcudnn.so.9.1.0").write_text("9.1.0")
    if not (folder / "libcudnn.so.9").exists():
        (folder / "libcudnn.so.9").symlink_to("libcudnn.so.9.1.0")
    return folder


def leave_over(broken: Broken) -> None:
    """What pip leaves where it is killed while it replaces torch."""
    (site(broken) / "~orch" / "lib").mkdir(parents=True)
    (site(broken) / "~orch" / "__init__.py").write_text("")
    (site(broken) / "~orch-2.13.0.dist-info").mkdir()


def list_twice(name: str, version: str) -> Callable[[Broken], None]:
    """Metadata of another version, whose files were written over."""

    def harm(broken: Broken) -> None:
        own = next(site(broken).glob(f"{name}-*.dist-info"))
        other = own.with_name(f"{name}-{version}.dist-info")
        shutil.copytree(own, other)
        text = (other / "METADATA").read_text()
        (other / "METADATA").write_text(text.replace(own.stem.partition("-")[2], version))
        record = (other / "RECORD").read_text().replace(own.name, other.name)
        (other / "RECORD").write_text(record.replace("sha256=", "sha256=0"))

    return harm


def empty(name: str) -> Callable[[Broken], None]:
    """The files are gone, the metadata is there."""
    return lambda broken: shutil.rmtree(site(broken) / name)


def behead(name: str) -> Callable[[Broken], None]:
    """The metadata is gone but for its folder."""

    def harm(broken: Broken) -> None:
        own = next(site(broken).glob(f"{name}-*.dist-info"))
        for path in own.iterdir():
            path.unlink()

    return harm


NUMPY = (DEFAULT, "numpy==2.3.5")
TORCH_CPU = (CPU, "torch==2.14.1+cpu")
TORCH_126 = (CU126, "torch==2.14.1+cu126")
TORCH_130 = (DEFAULT, "torch==2.14.1", "nvidia-cudnn-cu13==9.24.0.43")
CUDNN_12 = (DEFAULT, "nvidia-cudnn-cu12==9.20.0.48")
CUDNN_13 = (DEFAULT, "nvidia-cudnn-cu13==9.24.0.43")
TWINS = ((DEFAULT, "onnxruntime-gpu==1.31.1"), (DEFAULT, "onnxruntime==1.31.1"))
JAX = (DEFAULT, "jax==0.10.2", "jaxlib==0.10.2")
PLUGIN_OLD = (DEFAULT, "jax-cuda12-plugin==0.10.1")
SEVERED: Moves = {"nvidia-cudnn-cu13": ("9.24.0.43", None), "nvidia-cudnn-cu12": ("9.20.0.48", "9.20.0.48")}
PARTED: Moves = {"onnxruntime-gpu": ("1.31.1", None), "onnxruntime": ("1.31.1", "1.31.1")}
TO_126: Moves = {
    "torch": ("2.14.1", "2.14.1+cu126"),
    "nvidia-cudnn-cu12": (None, "9.20.0.48"),
    "nvidia-cudnn-cu13": ("9.24.0.43", None),
}
TO_130: Moves = {
    "torch": ("2.14.1+cu126", "2.14.1"),
    "nvidia-cudnn-cu13": (None, "9.24.0.43"),
    "nvidia-cudnn-cu12": ("9.20.0.48", None),
}
OFF_CPU: Moves = {"torch": ("2.14.1+cpu", "2.14.1+cu126"), "nvidia-cudnn-cu12": (None, "9.20.0.48")}
VISION_126: Moves = {"torchvision": ("0.29.1", "0.29.1+cu126")}
GPU_CONSTRAINTS = ("dlsetup/gpu-constraints.txt",)
HOOK = ("dlsetup/library-path.txt", *(f"bin/activate{end}" for end in ("", ".fish", ".csh", ".ps1")))
LEFT = ("/~orch", "/~orch-2.13.0.dist-info")

FAULTS = (
    Fault("two-majors", "cuda-conflict", (TORCH_126, NUMPY, CUDNN_12, CUDNN_13), SEVERED),
    Fault(
        "other-vision",
        "cuda-conflict",
        (TORCH_CPU, NUMPY, (DEFAULT, "torchvision==0.28.0")),
        {"torchvision": ("0.28.0", "0.29.1+cpu")},
    ),
    Fault(
        "vision-of-another-variant",
        "cuda-conflict",
        (TORCH_126, NUMPY, CUDNN_12, (CPU, "torchvision==0.29.1+cpu")),
        {"torchvision": ("0.29.1+cpu", "0.29.1+cu126")},
        OLD_DRIVER,
    ),
    Fault("twins", "cuda-conflict", (NUMPY, *TWINS), PARTED),
    Fault(
        "twins-with-a-gpu",
        "cuda-conflict",
        (NUMPY, *TWINS),
        {"onnxruntime": ("1.31.1", None), "onnxruntime-gpu": ("1.31.1", "1.31.1")},
        H100,
    ),
    Fault(
        "plugin-out-of-step",
        "cuda-conflict",
        (JAX, PLUGIN_OLD, NUMPY, CUDNN_12),
        {"jax-cuda12-plugin": ("0.10.1", "0.10.2")},
    ),
    Fault(
        "jaxlib-out-of-step",
        "cuda-conflict",
        ((DEFAULT, "jax==0.10.2", "jaxlib==0.10.1"), NUMPY),
        {"jaxlib": ("0.10.1", "0.10.2")},
    ),
    Fault(
        "cudnn-too-old",
        "cuda-conflict",
        (TORCH_126, NUMPY, (DEFAULT, "nvidia-cudnn-cu12==9.10.2.21")),
        {"nvidia-cudnn-cu12": ("9.10.2.21", "9.20.0.48")},
        OLD_DRIVER,
    ),
    Fault(
        "two-majors-and-twins",
        "cuda-conflict",
        (TORCH_126, NUMPY, CUDNN_12, CUDNN_13, *TWINS),
        {**SEVERED, **PARTED},
    ),
    Fault("cpu-torch", "cpu-build", (TORCH_CPU, NUMPY), OFF_CPU, OLD_DRIVER, files=GPU_CONSTRAINTS),
    Fault(
        "cpu-torch-and-vision",
        "cpu-build",
        ((CPU, "torch==2.14.1+cpu", "torchvision==0.29.1+cpu"), NUMPY),
        {**OFF_CPU, "torchvision": ("0.29.1+cpu", "0.29.1+cu126")},
        OLD_DRIVER,
        files=GPU_CONSTRAINTS,
    ),
    Fault(
        "cpu-onnxruntime",
        "cpu-build",
        (NUMPY, (DEFAULT, "onnxruntime==1.31.1")),
        {"onnxruntime": ("1.31.1", None), "onnxruntime-gpu": (None, "1.31.1")},
        H100,
        files=GPU_CONSTRAINTS,
    ),
    Fault(
        "jax-without-plugin",
        "missing-gpu-libs",
        (JAX, NUMPY),
        {"jax-cuda12-plugin": (None, "0.10.2"), "nvidia-cudnn-cu12": (None, "9.20.0.48")},
        OLD_DRIVER,
    ),
    Fault(
        "tensorflow-without-wheels",
        "missing-gpu-libs",
        ((DEFAULT, "tensorflow==2.21.0"), NUMPY),
        {"nvidia-cudnn-cu12": (None, "9.20.0.48")},
        OLD_DRIVER,
    ),
    Fault("new-gpu", "arch-mismatch", (TORCH_126, NUMPY, CUDNN_12), TO_130, NEW_GPU),
    Fault(
        "new-gpu-and-vision",
        "arch-mismatch",
        (TORCH_126, NUMPY, CUDNN_12, (CU126, "torchvision==0.29.1+cu126")),
        {**TO_130, "torchvision": ("0.29.1+cu126", "0.29.1")},
        NEW_GPU,
    ),
    Fault("old-driver", "driver-too-old", (TORCH_130, NUMPY), TO_126, OLD_DRIVER),
    Fault(
        "old-driver-and-vision",
        "driver-too-old",
        (TORCH_130, NUMPY, (DEFAULT, "torchvision==0.29.1")),
        {**TO_126, **VISION_126},
        OLD_DRIVER,
    ),
    Fault(
        "old-driver-other-release",
        "driver-too-old",
        ((DEFAULT, "torch==2.13.0", "nvidia-cudnn-cu13==9.20.0.48"), NUMPY),
        {**TO_126, "torch": ("2.13.0", "2.13.0+cu126"), "nvidia-cudnn-cu13": ("9.20.0.48", None)},
        OLD_DRIVER,
    ),
    Fault(
        "numpy-2",
        "numpy-abi",
        ((CPU, "torch==2.2.2+cpu"), NUMPY),
        {"numpy": ("2.3.5", "1.26.4")},
        before="3.13",
    ),
    Fault(
        "numpy-2-under-numba",
        "numpy-abi",
        ((DEFAULT, "numba==0.59.1"), NUMPY),
        {"numpy": ("2.3.5", "1.26.4")},
        before="3.13",
    ),
    Fault("library-path", "library-path", (TORCH_126, NUMPY, CUDNN_12), files=HOOK, library_path=True),
    Fault("leftovers", "duplicates", (TORCH_CPU, NUMPY), harm=(leave_over,), files=LEFT),
    Fault(
        "listed-twice",
        "duplicates",
        (TORCH_CPU, NUMPY),
        harm=(list_twice("numpy", "2.1.0"),),
        files=("/numpy-2.1.0.dist-info",),
    ),
    Fault(
        "emptied",
        "duplicates",
        (TORCH_CPU, NUMPY),
        {"torch": ("2.14.1+cpu", "2.14.1+cpu")},
        harm=(empty("torch"),),
        files=("/torch-2.14.1+cpu.dist-info",),
    ),
    Fault(
        "beheaded",
        "duplicates",
        (TORCH_CPU, NUMPY),
        {"numpy": ("2.3.5", "2.3.5")},
        harm=(behead("numpy"),),
        files=("/numpy-2.3.5.dist-info",),
    ),
    Fault(
        "leftovers-and-twins",
        "all",
        (NUMPY, *TWINS),
        PARTED,
        harm=(leave_over,),
        files=LEFT,
    ),
    Fault(
        "emptied-cpu-torch",
        "all",
        (TORCH_CPU, NUMPY),
        OFF_CPU,
        OLD_DRIVER,
        harm=(empty("torch"),),
        files=("/torch-2.14.1+cpu.dist-info", *GPU_CONSTRAINTS),
    ),
    Fault(
        "old-driver-and-library-path",
        "all",
        (TORCH_130, NUMPY),
        TO_126,
        OLD_DRIVER,
        files=HOOK,
        library_path=True,
    ),
    Fault(
        "two-majors-and-jax-without-plugin",
        "all",
        (TORCH_126, JAX, NUMPY, CUDNN_12, CUDNN_13),
        {**SEVERED, "jax-cuda12-plugin": (None, "0.10.2")},
        OLD_DRIVER,
    ),
    Fault(
        "cpu-torch-beside-twins",
        "all",
        (TORCH_CPU, NUMPY, *TWINS),
        {
            "torch": ("2.14.1+cpu", "2.14.1"),
            "nvidia-cudnn-cu13": (None, "9.24.0.43"),
            "onnxruntime": ("1.31.1", None),
            "onnxruntime-gpu": ("1.31.1", "1.31.1"),
        },
        H100,
        files=GPU_CONSTRAINTS,
    ),
)
