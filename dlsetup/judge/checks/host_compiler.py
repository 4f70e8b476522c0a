"""The compiler of the host that nvcc hands its code to: is it one that this toolkit takes?"""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from dlsetup.judge.evidence import of_message
from dlsetup.judge.host_compilers import use_older
from dlsetup.judge.installers import version_of
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion


@check("host-compiler-too-new", told=True)
def too_new(scene: Scene) -> Iterator[Answer]:
    """nvcc refuses the host compiler, which is newer than its toolkit."""
    messages = scene.messages("gcc-too-new")
    newest = messages[0].value("newest") if messages else None
    if newest is None:
        return
    compiler = "clang" if "clang" in messages[0].text else "gcc"
    present = _present(scene, int(newest)) if compiler == "gcc" else None
    there = f"gcc {present} is there" if present else "the compiler on PATH is newer"
    toolkit = _toolkit(scene)
    named = f"CUDA {toolkit.value}" if toolkit else "The CUDA toolkit that compiles here"
    yield Finding(
        id="host-compiler-too-new",
        severity="error",
        title="The host compiler is newer than this nvcc accepts",
        because=f"{named} accepts {compiler} up to {newest}; {there}.",
        evidence=(
            *map(of_message, messages[:1]),
            *([toolkit] if toolkit else []),
            *([_of_gcc(scene, present)] if present else []),
        ),
        remedies=tuple(_remedies(scene, compiler, int(newest), present)),
        rests_on=scene.sources(("cuda-host-config",)),
    )


def _toolkit(scene: Scene) -> Evidence | None:
    """The toolkit whose nvcc is on PATH."""
    toolkits = () if isinstance(scene.machine.toolkits, Unknown) else scene.machine.toolkits
    for item in toolkits:
        if isinstance(item.version, CudaVersion) and item.default:
            source = item.found_via or item.path
            return Evidence(fact="CUDA toolkit", value=str(item.version.line), source=source)
    return None


def _present(scene: Scene, newest: int) -> Version | None:
    """The gcc of the report that is too new; one that would be accepted is not the one that was used."""
    tools = () if isinstance(scene.machine.tools, Unknown) else scene.machine.tools
    said = (str(item.version) for item in tools if item.name == "gcc")
    return next((version for text in said if (version := version_of(text)) and version.major > newest), None)


def _of_gcc(scene: Scene, present: Version) -> Evidence:
    maker = scene.observed("gcc.maker")
    return Evidence(fact="gcc", value=str(present), source=maker.source if maker else "the report")


def _remedies(scene: Scene, compiler: str, newest: int, present: Version | None) -> Iterator[Remedy]:
    if scene.target.os == "linux" and compiler == "gcc":
        yield from use_older(scene, newest)
    floor = _toolkit_for(scene, present) if present else None
    newer = f"CUDA {floor} or newer" if floor else "a newer CUDA toolkit"
    accepts = f"gcc {present.major}" if present else "this compiler"
    torch = scene.framework("torch")
    same = (
        f" It has to be of the major that torch is built with, CUDA {torch.cuda}."
        if torch and isinstance(torch.cuda, CudaVersion)
        else ""
    )
    yield Remedy(
        text=f"Or compile with {newer}, which accepts {accepts}.{same}",
        commands=() if floor else ("dlsetup catalog show cuda",),
        scope="host",
    )


def _toolkit_for(scene: Scene, present: Version) -> CudaVersion | None:
    """The first line of CUDA whose nvcc takes a gcc of that major."""
    rows = scene.catalog.hardware.toolkits
    taking = [
        row.version.line
        for row in rows
        if not isinstance(row.gcc, Unknown) and row.gcc.contains(str(present.major))
    ]
    return min(taking, default=None)
