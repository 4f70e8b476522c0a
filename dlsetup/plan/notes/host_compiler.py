"""The compiler of the host that nvcc hands its code to: one that the toolkit takes."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.host_compilers import use_older
from dlsetup.model.note import NoteStep
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion
from dlsetup.plan.notes.compiling import newest_gcc, present_gcc, toolkit_row
from dlsetup.plan.notes.steps import ask, of_remedy, right
from dlsetup.plan.notes.subject import Subject, of_tool


def compiler_steps(subject: Subject, cuda: CudaVersion, only_if: str = "") -> Iterator[NoteStep]:
    """The host compiler: one that this toolkit takes."""
    row, present = toolkit_row(subject, cuda), present_gcc(subject)
    newest = newest_gcc(row) if row else None
    if row is not None and subject.scene.target.os == "windows" and not isinstance(row.msvc, Unknown):
        why = (
            f"CUDA {cuda.line} takes Visual C++ `{row.msvc}` as its host compiler, as `cl` says its version."
        )
        sources = subject.scene.sources((row.msvc_source,))
        yield ask(
            "host-compiler", "See which Visual C++ is there", why, ("cl",), place="windows", sources=sources
        )
        return
    if row is None or newest is None or subject.scene.target.os != "linux":
        return
    sources = subject.scene.sources((row.compiler_source,))
    if present is None:
        why = f"CUDA {cuda.line} takes gcc up to {newest} as its host compiler."
        yield ask("host-compiler", "See which gcc is there", why, ("gcc -dumpfullversion",), sources=sources)
        return
    tool, major = present
    evidence = of_tool("gcc", str(tool.version), tool.path)
    if major <= newest:
        title = f"gcc {major} is one that CUDA {cuda.line} takes (up to {newest})"
        yield right("host-compiler", title, [evidence], sources=sources)
        return
    why = f"CUDA {cuda.line} takes gcc up to {newest}; gcc {major} is first on PATH."
    for remedy in use_older(subject.scene, newest):
        yield of_remedy(
            remedy, "host-compiler", why=why, evidence=(evidence,), sources=sources, only_if=only_if
        )
