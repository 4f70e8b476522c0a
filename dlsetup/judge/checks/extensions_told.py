"""Compiled packages that do not belong to the torch they meet."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.evidence import of_framework, of_message, of_observation
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.machine import Gap
from dlsetup.model.record import Unknown
from dlsetup.model.report import Message

ABI = "torch._C._GLIBCXX_USE_CXX11_ABI"
ASK_ABI = 'python -c "import torch; print(torch.__version__, torch._C._GLIBCXX_USE_CXX11_ABI)"'
_OTHERS = ("torchaudio", "_torch_sox", "torchvision", "torchtext", "/torch/lib/")
"""Symbols missing there are the matter of other checks."""


@check("extension-cxx11-abi-mismatch", "extension-built-for-other-torch", told=True)
def missing_symbol(scene: Scene) -> Iterator[Answer]:
    """A symbol of torch is missing: its strings tell the C++ ABI that the package was compiled for."""
    for message in scene.messages("undefined-torch-symbol"):
        if any(part in (message.value("path") or "") for part in _OTHERS):
            continue
        wanted, here = _wanted(message), _abi(scene)
        if wanted is not None and here is not None and wanted != here:
            yield _other_abi(scene, message, wanted)
        elif wanted and here is None and scene.framework("torch") is None:
            yield _other_abi(scene, message, wanted)
            yield Gap(fact="C++11 ABI of torch", reason="it decides which wheel belongs to it", ask=ASK_ABI)
        else:
            yield _other_torch(
                scene, message, f"`{message.value('symbol')}` is not in the torch that is here"
            )
        return


@check("extension-built-for-other-torch", told=True)
def built_for_another(scene: Scene) -> Iterator[Answer]:
    """A package says which torch it was built for, and which one it meets."""
    for message in scene.messages("built-for-other-torch"):
        built, have = message.value("built") or "", message.value("have") or ""
        if built != have and (not have.endswith("+cpu") or built.split("+")[0] != have.split("+")[0]):
            yield _other_torch(scene, message, f"It was built for torch {built}, and torch {have} is here")
            return


def _wanted(message: Message) -> bool | None:
    """Whether the symbol takes strings of the new ABI; None: it takes none."""
    symbol = message.value("symbol") or ""
    if "__cxx11" in symbol or "B5cxx11" in symbol:
        return True
    return False if re.search(r"RKSs|(?<=E)Ss|Ss(?:$|[A-Z])", symbol) else None


def _abi(scene: Scene) -> bool | None:
    """The C++11 ABI of the torch that is here, as it says itself or as its release had it."""
    seen = scene.observed(ABI) or scene.observed("torch.compiled_with_cxx11_abi")
    if seen is not None and seen.value in ("True", "False"):
        return seen.value == "True"
    torch = scene.framework("torch")
    if torch is None or torch.distribution.installer == "conda" or scene.target.os != "linux":
        return None
    version = torch.distribution.version.base_version
    rows = [row for row in scene.catalog.hardware.cxx_abis if row.torch.contains(version)]
    if isinstance(torch.variant, Unknown) and any(row.variants for row in rows):
        return None
    return next((row.cxx11 for row in rows if not row.variants or torch.variant in row.variants), None)


def _package(message: Message) -> str:
    """The name of the file that asks, without folders."""
    return (message.value("path") or "the package").rsplit("/", 1)[-1]


def _other_abi(scene: Scene, message: Message, wanted: bool) -> Finding:
    name, word = _package(message), "TRUE" if wanted else "FALSE"
    right = "FALSE" if wanted else "TRUE"
    torch, seen = scene.framework("torch"), scene.observed(ABI)
    sign = "contains `__cxx1112basic_string`" if wanted else "takes strings of the old kind"
    return Finding(
        id="extension-cxx11-abi-mismatch",
        severity="error",
        title=f"`{name}` and torch were compiled with different C++11 ABIs",
        because=f"The symbol that is missing {sign}: the wheel is cxx11abi{word}, while this torch has "
        f"_GLIBCXX_USE_CXX11_ABI {not wanted}.",
        evidence=(
            of_message(message),
            *((of_observation(seen),) if seen else ()),
            *((of_framework(torch),) if torch else ()),
        ),
        remedies=(
            Remedy(
                text=f"Install the wheel of the same version whose file name says cxx11abi{right}, or "
                "compile the package against the installed torch with `--no-build-isolation`."
            ),
        ),
        rests_on=scene.sources(("torch-extension-abi",)),
    )


def _other_torch(scene: Scene, message: Message, because: str) -> Finding:
    torch = scene.framework("torch")
    here = torch.title if torch else "the torch that is here"
    name = _package(message) if message.value("path") else "A compiled package"
    return Finding(
        id="extension-built-for-other-torch",
        severity="error",
        title=f"{name} was built for another torch than {here}",
        because=f"{because}: compiled packages belong to one release and one CUDA build of torch.",
        evidence=(of_message(message), *((of_framework(torch),) if torch else ())),
        remedies=(
            Remedy(
                text=f"Install the release of the package that was built for {here}, from the index of the "
                "same CUDA, or compile it anew against the installed torch with `--no-build-isolation`."
            ),
        ),
        rests_on=scene.sources(("torch-extension-abi",)),
    )
