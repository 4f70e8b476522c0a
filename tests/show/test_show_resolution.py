"""Plans, conflicts, steps and proofs in words."""

from __future__ import annotations

from packaging.version import Version

from dlsetup.model.framework import Index
from dlsetup.model.outcome import Creation, Outcome
from dlsetup.model.resolution import Clause, Conflict, Pick, Plan, WayOut
from dlsetup.model.source import Source
from dlsetup.model.steps import Procedure, Run, Tell, Write
from dlsetup.model.target import Target
from dlsetup.model.versions import CudaVersion
from dlsetup.show.creation import creation_lines
from dlsetup.show.lines import plain
from dlsetup.show.resolution import conflict_lines, plan_lines
from dlsetup.show.steps import procedure_lines, shown

PLAN = Plan(
    target=Target(),
    python=Version("3.12"),
    interpreter="/usr/bin/python3.12",
    cuda=CudaVersion("12.6"),
    picks=(
        Pick(
            framework="torch",
            version=Version("2.14.1"),
            variant="cu126",
            index="pytorch-cu126",
            requirement="torch==2.14.1+cu126",
            because="newest release whose CUDA 12.6 build runs on driver 535.129.03",
            sources=("torch-matrix",),
            size_bytes=800 << 20,
        ),
        Pick(
            framework="jax",
            version=Version("0.10.2"),
            variant="cu12",
            index="default",
            requirement="jax[cuda12]==0.10.2",
        ),
    ),
    indexes=(
        Index(name="pytorch-cu126", url="https://download.pytorch.org/whl/cu126"),
        Index(name="default"),
    ),
    because=("CUDA 12 is the only family that both have",),
    unknown=("the free memory of the GPU is not known",),
)
SOURCES = (Source(id="torch-matrix", what="PyTorch release matrix", checked="2026-11-02"),)


def test_a_plan_reads_whole() -> None:
    assert plain(plan_lines(PLAN, SOURCES)) == (
        "✓ torch 2.14.1 and jax 0.10.2 fit together on this machine.\n"
        "\n"
        "  Python 3.12 (/usr/bin/python3.12), CUDA 12.6\n"
        "  torch  2.14.1  cu126  from https://download.pytorch.org/whl/cu126, 800.0 MiB\n"
        "    because newest release whose CUDA 12.6 build runs on driver 535.129.03\n"
        "  jax    0.10.2  cu12   from the configured index\n"
        "  because CUDA 12 is the only family that both have\n"
        "  ? the free memory of the GPU is not known\n"
    )


def test_explain_names_the_rows_of_the_catalog() -> None:
    assert "PyTorch release matrix (checked 2026-11-02, certainty high)" in plain(
        plan_lines(PLAN, SOURCES, explain=True)
    )
    assert "release matrix" not in plain(plan_lines(PLAN, SOURCES))


def test_a_conflict_reads_as_one_sentence() -> None:
    conflict = Conflict(
        target=Target(),
        core=(
            Clause(kind="wish", text="you ask for tensorflow with a GPU"),
            Clause(kind="fact", text="this machine runs native Windows"),
            Clause(
                kind="rule", text="TensorFlow has no CUDA build there since 2.11", source="tensorflow-docs"
            ),
        ),
        ways_out=(
            WayOut(text="take the CPU build", command="dlsetup resolve tensorflow --cpu", plans=(PLAN,)),
        ),
    )
    assert plain(conflict_lines(conflict)) == (
        "✗ Nothing fits this machine.\n"
        "╰ Because you ask for tensorflow with a GPU,\n"
        "  and this machine runs native Windows,\n"
        "  and TensorFlow has no CUDA build there since 2.11 (tensorflow-docs).\n"
        "\n"
        "Ways out, the cheapest first\n"
        "  1. take the CPU build\n"
        "     gives torch 2.14.1 (cu126) and jax 0.10.2 (cu12) on Python 3.12\n"
        "     dlsetup resolve tensorflow --cpu\n"
    )


def test_steps_are_numbered_and_can_be_pasted() -> None:
    step = Run(argv=("uv", "venv", "my env", "$(x)"), why="make it", env=(("UV_INDEX", "a b"),))
    assert shown(step) == "UV_INDEX='a b' uv venv 'my env' '$(x)'"
    words = plain(
        procedure_lines(
            Procedure(
                title="Make it",
                steps=(
                    step,
                    Write(path="a.toml", text="", why="the lock"),
                    Tell(text="reboot", commands=("reboot",)),
                ),
                notes=("nothing is removed",),
            )
        )
    )
    assert words == (
        "Make it\n"
        "  1. make it\n"
        "     UV_INDEX='a b' uv venv 'my env' '$(x)'\n"
        "  2. the lock: writes `a.toml`\n"
        "  3. reboot (only you can do this)\n"
        "     reboot\n"
        "  · nothing is removed\n"
    )


def test_a_proof_says_where_it_computed() -> None:
    creation = Creation(
        path="demo",
        tool="uv",
        plan=PLAN,
        packages=31,
        outcomes=(
            Outcome(
                framework="jax", ok=True, version="0.10.2", devices=("cpu:0",), device="cpu", seconds=1.25
            ),
            Outcome(framework="torch", ok=False, because="it sees no GPU", hint="look at `dlsetup doctor`"),
        ),
        activate="source demo/bin/activate",
    )
    assert plain(creation_lines(creation)) == (
        "✓ jax 0.10.2, computed on cpu, sees cpu:0, 1.2 s\n"
        "✗ torch\n"
        "  because it sees no GPU\n"
        "  hint    look at `dlsetup doctor`\n"
        "\n"
        "✓ demo is ready (Python 3.12, 31 packages).\n"
        "hint: activate it with\n"
        "      source demo/bin/activate\n"
    )
