"""What is installed in an environment, from its metadata; nothing of it is imported or run."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from dlsetup.model.framework import Clue
from dlsetup.model.machine import Distribution
from dlsetup.model.record import Unknown
from dlsetup.model.variants import conda_variant
from dlsetup.probe.conda import CondaPackage
from dlsetup.probe.host import Host
from dlsetup.probe.metadata import details, name_and_version
from dlsetup.probe.variants import variant_of

CONCERNS = (
    "ai-edge-",
    "apex",
    "bitsandbytes",
    "ctranslate2",
    "cuda-",
    "cudatoolkit",
    "cudnn",
    "cupy",
    "deepspeed",
    "flash-attn",
    "functorch",
    "horovod",
    "intel-extension-for-",
    "jax",
    "keras",
    "libtpu",
    "lightning",
    "mindspore",
    "ml-dtypes",
    "nccl",
    "numba",
    "numpy",
    "nvidia-",
    "oneflow",
    "onnx",
    "opencv-",
    "paddlepaddle",
    "protobuf",
    "pytorch",
    "scipy",
    "tensorboard",
    "tensorflow",
    "tensorrt",
    "tf-",
    "tflite",
    "torch",
    "triton",
    "vllm",
    "xformers",
)
"""Beginnings of names whose metadata is read; of all others the name and version are enough."""


class Site:
    """One folder of packages: its distributions, and where the metadata of each lies."""

    def __init__(self, host: Host, folder: str) -> None:
        self.host = host
        self.folder = folder

    def distributions(self, clues: tuple[Clue, ...]) -> list[tuple[Distribution, str]]:
        """Distributions with the names of their metadata folders, in the order of those names."""
        found = []
        for entry in self.host.names(self.folder):
            told = name_and_version(self.host, self.folder, entry)
            if told is None:
                continue
            item = Distribution(name=told[0], version=told[1], location=self.folder)
            found.append(
                (self._with_details(item, entry, clues) if concerns(item.name, clues) else item, entry)
            )
        return found

    def _with_details(self, item: Distribution, entry: str, clues: tuple[Clue, ...]) -> Distribution:
        told = details(self.host, self.folder, entry)
        variant, via = variant_of(self.host, self.folder, item.name, item.version, clues)
        return replace(
            item,
            variant=variant,
            variant_via=via,
            requires=told.requires,
            tags=told.tags,
            installer=told.installer,
            origin=told.origin,
        )


def concerns(name: str, clues: tuple[Clue, ...]) -> bool:
    """Whether a distribution is a framework or a library that frameworks fight over."""
    return name.startswith(CONCERNS) or any(clue.distribution == name for clue in clues)


def with_conda(
    found: list[Distribution], packages: tuple[CondaPackage, ...], replaced: Collection[str] = ()
) -> list[Distribution]:
    """Distributions, each conda package once: as what it installed, or for itself.

    A package whose version differs from the distribution of its name was overwritten by pip, as were those
    that are named in `replaced`, and both stay.
    """
    wheels = {(item.name, item.version.public): index for index, item in enumerate(found)}
    merged = list(found)
    for package in packages:
        index = wheels.get((package.name, package.version.public))
        if index is None or package.name in replaced:
            merged.append(_of_conda(package))
            continue
        item = replace(merged[index], installer="conda", origin=package.origin)
        merged[index] = item if item.variant_via else _with_variant(item, package)
    return merged


def _of_conda(package: CondaPackage) -> Distribution:
    item = Distribution(
        name=package.name,
        version=package.version,
        installer="conda",
        origin=package.origin,
        location=package.folder,
    )
    return _with_variant(item, package)


def _with_variant(item: Distribution, package: CondaPackage) -> Distribution:
    variant = conda_variant(package.build)
    return item if isinstance(variant, Unknown) else replace(item, variant=variant, variant_via="conda build")
