"""Environments of conda that are broken in every way that `dlsetup fix` mends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tiny.broken import Broken, Fix
from tiny.conda import CondaWorld
from tiny.faults import (
    CUDNN_12,
    CUDNN_13,
    DEFAULT,
    GPU_CONSTRAINTS,
    H100,
    LEFT,
    NEW_GPU,
    OFF_CPU,
    OLD_DRIVER,
    PARTED,
    SEVERED,
    TORCH_126,
    TORCH_CPU,
    TWINS,
    Moves,
    empty,
    leave_over,
    list_twice,
    rival,
)
from tiny.index import TinyIndex


@dataclass(frozen=True)
class CondaFault:
    """What conda and pip put into an environment, and what mends it, by conda and by pip."""

    name: str
    kind: str
    conda: tuple[str, ...] = ()
    pip: tuple[tuple[str, ...], ...] = ()
    """The index first."""
    packages: Moves = field(default_factory=dict)
    """Versions with the first word of the build."""
    moves: Moves = field(default_factory=dict)
    gpu: tuple[str, str, str] | None = None
    harm: Callable[[Broken], None] | None = None
    files: tuple[str, ...] = ()
    library_path: bool = False
    before: str = ""
    """Python from which on it cannot be: `3.13`."""

    def make(self, fix: Fix, world: CondaWorld, index: TinyIndex) -> None:
        if self.conda:
            world.install(*self.conda)
        for source, *requirements in self.pip:
            world.broken.put(*requirements, index=index.address(source))
        if self.harm is not None:
            self.harm(world.broken)
        if self.gpu is not None:
            fix.give_gpu(*self.gpu)
        if self.library_path:
            fix.command.environ["LD_LIBRARY_PATH"] = f"{rival(world.broken)}:/opt/of-others"
        world.record.unlink(missing_ok=True)


ON_CPU = "pytorch=2.14.1=cpu*"
CUDA_12: Moves = {"cuda-version": (None, "12.9 0")}
ONTO_CUDA: Moves = {**CUDA_12, "pytorch": ("2.14.1 cpu", "2.14.1 cuda126")}
HOOKS = tuple(
    f"etc/conda/{when}/zz-dlsetup-library-path.{end}"
    for end in ("sh", "fish", "csh", "ps1")
    for when in ("activate.d", "deactivate.d")
)
TWIN: Mapping[str, tuple[str | None, str | None]] = {"onnxruntime-gpu": ("1.31.1", None)}

FAULTS = (
    CondaFault("cpu-torch", "cpu-build", (ON_CPU,), packages=ONTO_CUDA, gpu=OLD_DRIVER),
    CondaFault(
        "cpu-torch-and-all-that-holds-it",
        "cpu-build",
        (ON_CPU, "pytorch-cpu", "torchvision", "zlib"),
        packages={
            **ONTO_CUDA,
            "pytorch-cpu": ("2.14.1 0", None),
            "torchvision": ("0.29.1 cpu", "0.29.1 cuda126"),
        },
        gpu=OLD_DRIVER,
    ),
    CondaFault(
        "cpu-jax",
        "all",
        ("jax", "jaxlib=*=cpu*"),
        packages={**CUDA_12, "jaxlib": ("0.10.2 cpu", "0.10.2 cuda126")},
        gpu=OLD_DRIVER,
    ),
    CondaFault(
        "cpu-torch-of-pip",
        "cpu-build",
        pip=(TORCH_CPU,),
        moves=OFF_CPU,
        gpu=OLD_DRIVER,
        files=GPU_CONSTRAINTS,
    ),
    CondaFault(
        "cpu-onnxruntime",
        "cpu-build",
        ("onnxruntime",),
        packages={"onnxruntime": ("1.31.1", None)},
        moves={"onnxruntime-gpu": (None, "1.31.1")},
        gpu=H100,
        files=GPU_CONSTRAINTS,
    ),
    CondaFault(
        "pip-over-conda",
        "cuda-conflict",
        (ON_CPU,),
        (TORCH_CPU,),
        packages={"pytorch": ("2.14.1 cpu", "2.14.1 cpu")},
        moves={"torch": ("2.14.1+cpu", None)},
    ),
    CondaFault(
        "another-release-over-conda",
        "cuda-conflict",
        ("pytorch=2.13.0=cpu*",),
        (TORCH_126, CUDNN_12),
        packages={**CUDA_12, "pytorch": ("2.13.0 cpu", "2.14.1 cuda126")},
        moves={"torch": ("2.14.1+cu126", None), "nvidia-cudnn-cu12": ("9.20.0.48", None)},
        gpu=OLD_DRIVER,
    ),
    CondaFault(
        "vision-of-pip",
        "cuda-conflict",
        (ON_CPU,),
        ((DEFAULT, "torchvision==0.28.0"),),
        packages={"torchvision": (None, "0.29.1 cpu")},
        moves={"torchvision": ("0.28.0", None)},
    ),
    CondaFault("two-majors-of-pip", "cuda-conflict", pip=(TORCH_126, CUDNN_12, CUDNN_13), moves=SEVERED),
    CondaFault("twins-of-pip", "cuda-conflict", pip=TWINS, moves=PARTED),
    CondaFault(
        "twins-without-a-gpu",
        "cuda-conflict",
        ("onnxruntime",),
        TWINS[:1],
        packages={"onnxruntime": ("1.31.1", "1.31.1")},
        moves=TWIN,
    ),
    CondaFault(
        "twins-with-a-gpu",
        "cuda-conflict",
        ("onnxruntime",),
        TWINS[:1],
        packages={"onnxruntime": ("1.31.1", None)},
        moves={"onnxruntime-gpu": ("1.31.1", "1.31.1")},
        gpu=H100,
    ),
    CondaFault(
        "old-driver",
        "driver-too-old",
        ("pytorch=2.14.1=cuda130*", "torchvision"),
        packages={
            "cuda-version": ("13.0 0", "12.9 0"),
            "pytorch": ("2.14.1 cuda130", "2.14.1 cuda126"),
            "torchvision": ("0.29.1 cuda130", "0.29.1 cuda126"),
        },
        gpu=OLD_DRIVER,
    ),
    CondaFault(
        "new-gpu",
        "arch-mismatch",
        ("pytorch=2.14.1=cuda126*",),
        packages={
            "cuda-version": ("12.9 0", "13.0 0"),
            "pytorch": ("2.14.1 cuda126", "2.14.1 cuda130"),
        },
        gpu=NEW_GPU,
    ),
    CondaFault(
        "numpy-2",
        "numpy-abi",
        ("pytorch=2.2.2=cpu*", "numpy=2.3.5"),
        packages={"numpy": ("2.3.5", "1.26.4")},
        before="3.13",
    ),
    CondaFault(
        "jax-of-pip-without-plugin",
        "missing-gpu-libs",
        pip=((DEFAULT, "jax==0.10.2", "jaxlib==0.10.2"),),
        moves={"jax-cuda12-plugin": (None, "0.10.2"), "nvidia-cudnn-cu12": (None, "9.20.0.48")},
        gpu=OLD_DRIVER,
    ),
    CondaFault("leftovers", "duplicates", (ON_CPU,), harm=leave_over, files=LEFT),
    CondaFault(
        "listed-twice",
        "duplicates",
        (ON_CPU,),
        harm=list_twice("numpy", "2.1.0"),
        files=("/numpy-2.1.0.dist-info",),
    ),
    CondaFault(
        "emptied",
        "duplicates",
        (ON_CPU,),
        harm=empty("torch"),
        packages={"pytorch": ("2.14.1 cpu", "2.14.1 cpu")},
        files=("/torch-2.14.1.dist-info",),
    ),
    CondaFault(
        "library-path",
        "library-path",
        pip=(TORCH_126, CUDNN_12),
        files=("dlsetup/library-path.txt", *HOOKS),
        library_path=True,
    ),
)
