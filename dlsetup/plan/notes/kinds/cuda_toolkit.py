"""The CUDA toolkit: only where something is compiled, and then of the line that fits all the rest."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.evidence import of_driver, of_gpus
from dlsetup.model.finding import Evidence
from dlsetup.model.note import NoteStep, NotOfKind
from dlsetup.model.versions import CudaVersion
from dlsetup.plan.notes.compiling import compiled_here, lacking_code, toolkit_row, wanted_cuda
from dlsetup.plan.notes.host_compiler import compiler_steps
from dlsetup.plan.notes.registry import Kind
from dlsetup.plan.notes.steps import ask, blocked, refuse, right
from dlsetup.plan.notes.subject import Subject
from dlsetup.plan.notes.toolkit import default_toolkit, toolkit_steps
from dlsetup.rules.driver import driver_serves

NAME = "cuda-toolkit"
CODE = "toolkit-code"
UNLESS = "something is compiled here against CUDA, such as flash-attn or an extension of your own"


def concerns(subject: Subject) -> NotOfKind | None:
    """A machine for which code for NVIDIA GPUs is made."""
    if subject.scene.target.os == "macos":
        return refuse(NAME, "there is no CUDA for macOS", "dlsetup doctor")
    if subject.nvidia or subject.cuda_frameworks or subject.driver or compiled_here(subject):
        return None
    return refuse(NAME, "no NVIDIA GPU and no build with CUDA are known here", "dlsetup doctor")


def steps(subject: Subject) -> Iterator[NoteStep]:
    """Whether it is needed at all; which line; then the toolkit and its host compiler."""
    yield from for_compiling(subject)


def for_compiling(subject: Subject) -> Iterator[NoteStep]:
    """The same steps for every note that has to do with compiling."""
    signs = compiled_here(subject)
    yield _need(subject, signs)
    only_if = "" if signs else UNLESS
    wanted = wanted_cuda(subject)
    if wanted is None:
        why = (
            "The toolkit has to be of the CUDA that the framework was built with, or else one that "
            "the driver knows."
        )
        yield ask("cuda-line", "Find out the CUDA to compile for", why, ("dlsetup doctor", "nvidia-smi"))
        return
    cuda, because = wanted
    yield _line(subject, cuda, because)
    obstacles = tuple(_obstacles(subject, cuda))
    yield from obstacles
    if any(step.id == CODE for step in obstacles):
        return
    yield from toolkit_steps(subject, cuda, f"CUDA {cuda}: {because}.", only_if)
    yield from compiler_steps(subject, cuda, only_if)


def _need(subject: Subject, signs: tuple[Evidence, ...]) -> NoteStep:
    if signs:
        return right("need", "Something is compiled here, so a toolkit is needed", signs)
    wheels = [
        Evidence(fact=item.title, value="brings its own CUDA", source=item.distribution.location)
        for item, _ in subject.cuda_frameworks
    ]
    title = "Nothing known here is compiled: wheels bring the CUDA they run with, and no toolkit is needed"
    return right("need", title, (*wheels, *default_toolkit(subject)))


def _line(subject: Subject, cuda: CudaVersion, because: str) -> NoteStep:
    evidence = Evidence(fact="CUDA to compile for", value=str(cuda), source=because)
    return right("cuda-line", f"The toolkit to compile with is CUDA {cuda}", [evidence])


def _obstacles(subject: Subject, cuda: CudaVersion) -> Iterator[NoteStep]:
    """What stands against that line: a GPU that it makes no code for, a driver that does not run it."""
    row = toolkit_row(subject, cuda)
    lacking = lacking_code(row, subject.capabilities) if row else ()
    if row is not None and lacking:
        names = " and ".join(dict.fromkeys(item.sm for item in lacking))
        yield blocked(
            CODE,
            f"CUDA {cuda} makes no code for {names}",
            "The compiler of that CUDA leaves this GPU out: take a build of the framework with an older CUDA "
            "(`dlsetup resolve` finds it), and then the toolkit of that one.",
            evidence=of_gpus(subject.scene, subject.nvidia),
            sources=subject.scene.sources((row.code_source,)),
        )
    verdict = driver_serves(subject.scene.target, cuda, subject.scene.catalog.hardware)
    if verdict.refused:
        yield blocked(
            "toolkit-driver",
            f"The driver does not run what CUDA {cuda} compiles",
            f"{verdict.because}: `dlsetup notes driver` has the steps to a newer one.",
            evidence=of_driver(subject.scene),
            sources=subject.scene.sources(verdict.sources),
        )
    elif verdict.ok and subject.scene.driver is not None:
        yield right("toolkit-driver", f"The driver runs what CUDA {cuda} compiles", of_driver(subject.scene))


KIND = Kind(name=NAME, title="The CUDA toolkit, where something is compiled", concerns=concerns, steps=steps)
