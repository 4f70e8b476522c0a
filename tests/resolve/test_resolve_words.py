"""Each sentence states the fact that decides, and each way out leads where it says: the shipped catalog."""

from __future__ import annotations

import shlex

import pytest
from packaging.version import Version

from dlsetup.catalog.load import load
from dlsetup.commands.question import Question, wish_of
from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_python, parse_wanted
from dlsetup.model.framework import Catalog, Framework
from dlsetup.model.resolution import Conflict, Plan
from dlsetup.model.wish import Wish
from dlsetup.resolve import resolve

LINUX = "os=linux,arch=x86_64,glibc=2.35"
NOTHING = f"{LINUX},gpu=none,driver=none"
PASCAL_AND_BLACKWELL = f"{LINUX},driver=580.95,gpu=GTX 1080,gpu=RTX 5090"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load(["torch", "torchvision", "tensorflow", "jax", "lightning", "onnxruntime"])


def asked(catalog: Catalog, target: str, *frameworks: str, **parts: object) -> Plan | Conflict:
    wish = Wish(wanted=tuple(map(parse_wanted, frameworks)), **parts)  # type: ignore[arg-type]
    return resolve(wish, parse(target), catalog)


def planned(catalog: Catalog, target: str, *frameworks: str, **parts: object) -> Plan:
    found = asked(catalog, target, *frameworks, **parts)
    assert isinstance(found, Plan), found
    return found


def refused(catalog: Catalog, target: str, *frameworks: str, **parts: object) -> Conflict:
    found = asked(catalog, target, *frameworks, **parts)
    assert isinstance(found, Conflict), found
    return found


def texts(conflict: Conflict) -> str:
    return "; ".join(clause.text for clause in conflict.core)


def test_the_cpu_of_a_mac_gets_the_newest_release(catalog: Catalog) -> None:
    """Since 1.12 the one wheel for Apple silicon counts as the build for MPS."""
    plan = planned(catalog, "macos=14.5,arch=aarch64", "torch", accelerator="cpu")
    best = planned(catalog, "macos=14.5,arch=aarch64", "torch")
    assert plan.picks[0].version == best.picks[0].version
    linux = planned(catalog, NOTHING, "torch", accelerator="cpu")
    assert linux.picks[0].variant == "cpu"


def test_windows_reads_the_pins_behind_the_shell_of_tensorflow(catalog: Catalog) -> None:
    plan = planned(
        catalog, "os=windows,arch=x86_64,gpu=none", "tensorflow==2.15.0", "jax", python=parse_python("3.11")
    )
    assert {pick.framework: pick.version for pick in plan.picks}["jax"] < Version("0.5")


@pytest.mark.parametrize(
    ("target", "frameworks", "parts", "says"),
    [
        ("os=linux,arch=aarch64,glibc=2.35,gpu=Ascend 910B", ["jax"], {}, "build of jax for Ascend NPUs"),
        (f"{LINUX},gpu=TPU v5e", ["lightning"], {}, "the catalog has no build of torch for Google TPUs"),
        (f"{LINUX},gpu=TPU v5e", ["torch"], {}, "the catalog has no build of torch for Google TPUs"),
        (NOTHING, ["torch"], {"cuda": "99"}, "the catalog has no build of torch for CUDA 99"),
        (
            "os=windows,arch=x86_64",
            ["torch"],
            {"accelerator": "directml"},
            "the catalog has no build of torch for DirectML",
        ),
        (
            NOTHING,
            ["torch"],
            {"python": parse_python("3.99")},
            "Python 3.99 is asked for, and the Pythons known are 3.8 to 3.15",
        ),
        (NOTHING, ["torch<1"], {}, "torch<1 is asked for, and the catalog has no such release: it has 1."),
        (
            NOTHING,
            ["tensorflow==2.15.0", "jax==0.12.0"],
            {},
            "tensorflow==2.15.0 has wheels for Python 3.10 or 3.11 and jax==0.12.0 has wheels",
        ),
        (
            NOTHING,
            ["lightning", "torch==2.15.0"],
            {"python": parse_python("3.9")},
            "torch 2.15.0 (cpu) has no wheel for Python 3.9",
        ),
        (f"{NOTHING},python=3.13t", ["tensorflow"], {}, "the target has Python 3.13t only"),
        (
            f"{LINUX},driver=535.1,gpu=A100",
            ["onnxruntime", "torch==2.15.0"],
            {},
            "torch 2.15.0 (cu130) is made with CUDA 13.0, and CUDA 13 needs NVIDIA driver 580",
        ),
    ],
)
def test_the_deciding_fact_is_said(
    catalog: Catalog, target: str, frameworks: list[str], parts: dict[str, object], says: str
) -> None:
    assert says in texts(refused(catalog, target, *frameworks, **parts))


def test_a_framework_without_any_build_says_so(catalog: Catalog) -> None:
    empty = Framework(name="hand", title="Hand", distributions=("hand",), imports="hand", builds=())
    conflict = refused(Catalog(frameworks=(empty,), hardware=catalog.hardware), NOTHING, "hand")
    assert texts(conflict) == (
        "hand is asked for, and the catalog has no build of it "
        "(`dlsetup catalog refresh hand` asks the package index for its releases)"
    )


def test_a_gpu_that_the_driver_dropped_asks_for_the_older_driver(catalog: Catalog) -> None:
    conflict = refused(catalog, f"{LINUX},driver=550.54,gpu=K80", "torch")
    assert "do not support K80" in texts(conflict)
    assert "is made with" not in texts(conflict)
    way = next(item for item in conflict.ways_out if "driver" in item.text)
    assert way.text == "go back to an NVIDIA driver of branch 470"
    assert way.plans[0].picks[0].variant == "cu118"


def test_a_driver_known_by_its_ceiling_is_updated_not_installed(catalog: Catalog) -> None:
    ways = [way.text for way in refused(catalog, f"{LINUX},cuda=9.0,gpu=T4", "torch").ways_out]
    assert "update to NVIDIA driver 580 or newer" in ways


def test_an_unfinished_release_is_a_way_out_where_there_is_no_other(catalog: Catalog) -> None:
    tensorflow = catalog.framework("tensorflow")
    assert tensorflow is not None
    unfinished = [
        build
        for build in tensorflow.builds
        if build.prerelease and any("cp314" in wheel.pythons for wheel in build.wheels)
    ]
    conflict = asked(catalog, NOTHING, "tensorflow", python=parse_python("3.14"))
    if isinstance(conflict, Plan) or not unfinished:
        pytest.skip("the catalog has a finished tensorflow for Python 3.14, or none at all")
    (way,) = [item for item in conflict.ways_out if "not finished" in item.text]
    assert way.plans[0].picks[0].version.is_prerelease


def test_why_not_newer_names_the_python_that_is_there(catalog: Catalog) -> None:
    (pick,) = planned(catalog, f"{NOTHING},python=3.7", "torch").picks
    assert pick.because.endswith("has no wheel for Python 3.7")


def test_intel_arc_is_a_device_and_processor_graphics_are_not(catalog: Catalog) -> None:
    assert planned(catalog, f"{LINUX},gpu=Intel Arc A770", "torch").picks[0].variant == "xpu"
    graphics = planned(catalog, f"{LINUX},gpu=UHD Graphics 770", "torch")
    assert graphics.picks[0].variant == "cpu"
    assert "the target has no GPU that is known to serve a framework" in graphics.because


def test_a_device_that_is_asked_for_and_not_there_is_said(catalog: Catalog) -> None:
    plan = planned(catalog, NOTHING, "torch", accelerator="rocm")
    assert "rocm is asked for, although the target has no AMD GPU" in plan.because
    there = planned(catalog, f"{LINUX},gpu=MI300X", "torch", accelerator="rocm")
    assert not any("although" in reason for reason in there.because)


@pytest.mark.parametrize(
    ("target", "missing"),
    [
        ("os=linux,arch=x86_64,gpu=none", "the C library of the target"),
        ("os=linux,glibc=2.35,gpu=none", "the processor of the target"),
        ("os=macos,arch=aarch64", "the macOS release of the target"),
    ],
)
def test_the_missing_fact_of_a_platform_is_named(catalog: Catalog, target: str, missing: str) -> None:
    assert any(text.endswith(missing) for text in planned(catalog, target, "torch").unknown)


@pytest.mark.parametrize(
    ("target", "frameworks", "parts"),
    [
        (PASCAL_AND_BLACKWELL, ["torch"], {}),
        (f"{LINUX},driver=390.157,gpu=GTX 1080", ["torch"], {}),
        (f"{LINUX},gpu=MI300X", ["torch", "onnxruntime==1.20.1"], {}),
        ("os=windows,arch=x86_64,driver=560.94,gpu=RTX 4060", ["tensorflow", "jax"], {}),
        (NOTHING, ["tensorflow<2.16", "jax>=0.6"], {"python": parse_python("3.11")}),
        (NOTHING, ["tensorflow"], {"python": parse_python("3.14")}),
        ("os=macos,arch=aarch64,macos=14.5", ["torch==2.15.0", "torchvision==0.20.0"], {}),
        ("os=linux,arch=x86_64,musl=1.2", ["torch"], {}),
    ],
)
def test_the_command_of_a_way_out_gives_the_plan_that_it_promises(
    catalog: Catalog, target: str, frameworks: list[str], parts: dict[str, object]
) -> None:
    ways = refused(catalog, target, *frameworks, **parts).ways_out
    assert ways
    for way in ways:
        commands = way.command.split(" && ")
        assert len(commands) == len(way.plans)
        for command, promised in zip(commands, way.plans, strict=True):
            plan = _run(catalog, command)
            assert plan.python == promised.python
            assert [(pick.requirement, pick.index) for pick in plan.picks] == [
                (pick.requirement, pick.index) for pick in promised.picks
            ]


def _run(catalog: Catalog, command: str) -> Plan:
    """What the command line makes of a command, without its door."""
    words = shlex.split(command)[2:]
    options: dict[str, str] = {}
    frameworks: list[str] = []
    while words:
        word = words.pop(0)
        if word in ("--cpu", "--allow-cpu"):
            options[word] = "yes"
        elif word.startswith("--"):
            options[word] = words.pop(0)
        else:
            frameworks.append(word)
    question = Question(
        frameworks=tuple(frameworks),
        cpu="--cpu" in options,
        allow_cpu="--allow-cpu" in options,
        python=options.get("--python"),
        cuda=options.get("--cuda"),
        accelerator=options.get("--accelerator"),
    )
    found = resolve(wish_of(question), parse(options["--target"]), catalog)
    assert isinstance(found, Plan), command
    return found
