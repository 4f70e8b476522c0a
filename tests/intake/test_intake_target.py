"""Targets, GPUs and wishes in words; whatever is typed, there is a record or a clear refusal."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.intake.target import describe, parse
from dlsetup.intake.wish import parse_cuda, parse_python, parse_wanted
from dlsetup.model.errors import UsageError
from dlsetup.model.machine import Gpu, Libc
from dlsetup.model.record import UNKNOWN
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease, LibcVersion, OsRelease
from dlsetup.model.wish import Wanted

PARTS = [
    *("os=", "linux", "windows", ",", "gpu=", '"', "'", "2x ", "A100", "none"),
    *("driver=", "python=", "3.11t", "wsl=", "yes"),
]


def parsed(reader: Callable[[str], object], text: str) -> object:
    """What comes of any text: a record, or a refusal meant for the user."""
    try:
        return reader(text)
    except UsageError as error:
        return error


def test_everything_said_at_once() -> None:
    target = parse('os=linux, arch=amd64,glibc=2.31,driver=535.129.03,gpu="A100, 80GB",gpu=sm_75,python=3.11')
    assert target == Target(
        name="the target",
        os="linux",
        arch="x86_64",
        libc=Libc(name="glibc", version=LibcVersion("2.31")),
        wsl=False,
        driver=DriverRelease("535.129.03"),
        gpus=(
            Gpu(vendor="nvidia", name="A100, 80GB"),
            Gpu(vendor="nvidia", arch="sm_75", compute_capability=ComputeCapability("7.5")),
        ),
        pythons=(Interpreter(version=Version("3.11")),),
    )


def test_what_is_not_said_is_unknown() -> None:
    assert parse("") == Target(name="the target")
    target = parse("cuda=12.2")
    assert target.cuda_ceiling == CudaVersion("12.2")
    assert (target.os, target.driver, target.gpus, target.wsl) == (UNKNOWN,) * 4


def test_none_is_known_to_be_absent() -> None:
    target = parse("os=linux,driver=none,gpu=none")
    assert target.driver is None
    assert target.gpus == ()


def test_words_that_imply_the_system() -> None:
    assert parse("glibc=2.17").os == "linux"
    assert parse("musl=1.2").libc == Libc(name="musl", version=LibcVersion("1.2"))
    assert parse("wsl=yes").os == "linux"
    mac = parse("macos=14.5,arch=arm64")
    assert (mac.os, mac.arch, mac.release, mac.libc) == ("macos", "aarch64", OsRelease("14.5"), None)


@pytest.mark.parametrize(
    ("words", "vendor", "count"),
    [
        ('gpu="2x RTX 4090"', "nvidia", 2),
        ("gpu=Tesla V100-SXM2-16GB", "nvidia", 1),
        ("gpu=GB200", "nvidia", 1),
        ("gpu=2xA100", "nvidia", 2),
        ("gpu=rtx4090", "nvidia", 1),
        ("gpu=GTX1080Ti", "nvidia", 1),
        ("gpu=Xavier", "nvidia", 1),
        ("gpu=gfx1100", "amd", 1),
        ("gpu=GFX90A", "amd", 1),
        ("gpu=RX7900XTX", "amd", 1),
        ("gpu=Ryzen AI Max+ 395", "amd", 1),
        ("gpu=A770", "intel", 1),
        ("gpu=UHD Graphics 770", "intel", 1),
        ("gpu=v5e", "google", 1),
        ("gpu=MI300X", "amd", 1),
        ("gpu=Radeon RX 7900 XTX", "amd", 1),
        ("gpu=Arc A770", "intel", 1),
        ("gpu=Intel Data Center GPU Max 1550", "intel", 1),
        ("gpu=M2 Max", "apple", 1),
        ("gpu=Ascend 910B", "ascend", 1),
        ("gpu=TPU v5e", "google", 1),
        ("gpu=nvidia Something", "nvidia", 1),
        ("gpu=nvidia", "nvidia", 1),
    ],
)
def test_gpus(words: str, vendor: str, count: int) -> None:
    gpus = parse(words).gpus
    assert isinstance(gpus, tuple)
    assert [gpu.vendor for gpu in gpus] == [vendor] * count
    assert gpus[0].compute_capability is (UNKNOWN if vendor == "nvidia" else None)


@pytest.mark.parametrize("words", ["sm_80", "SM_80", "sm80", "compute_80"])
def test_spellings_of_an_architecture(words: str) -> None:
    assert parse(f"gpu={words}") == parse("gpu=sm_80")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("os=linux,colour=red", "colour"),
        ("os=beos", "os=beos"),
        ("driver=fast", "driver=fast"),
        ("glibc=two", "glibc=two"),
        ("glibc=2.31,musl=1.2", "musl"),
        ("macos=14,os=linux", "linux and macos"),
        ("os=linux,os=linux", "twice"),
        ("wsl=maybe", "wsl=maybe"),
        ("python=2.7", "python=2.7"),
        ("python=3", "python=3"),
        ("gpu=Voodoo2", "Voodoo2"),
        ("gpu=none,gpu=A100", "gpu=none"),
        ('gpu="900x A100"', "900"),
        ('gpu="A100', 'gpu="A100'),
        ("os=", "os="),
        ("linux", "linux"),
        ("os=linux\x1b[31m", "too long"),
        ("os=linux," + "a" * 5000, "too long"),
    ],
)
def test_refusals_name_the_word(words: str, named: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(words)
    assert named in caught.value.message


@given(st.text(max_size=80))
def test_any_text_is_a_target_or_a_usage_error(words: str) -> None:
    assert isinstance(parsed(parse, words), (Target, UsageError))


@given(st.lists(st.sampled_from(PARTS)))
def test_any_mixture_of_known_words_is_a_target_or_a_usage_error(parts: list[str]) -> None:
    try:
        target = parse("".join(parts))
    except UsageError:
        return
    assert parse(describe(target)) == target


def number(*choices: str) -> st.SearchStrategy[str]:
    return st.sampled_from(choices)


names = st.text(st.characters(categories=["L", "Nd"], include_characters=" ,=-()"), min_size=1, max_size=20)
said = st.fixed_dictionaries(
    {},
    optional={
        "os": number("linux", "windows", "macos"),
        "arch": number("x86_64", "aarch64", "ppc64le"),
        "driver": number("535.129.03", "none", "580"),
        "cuda": number("12.2", "13.0"),
        "wsl": number("no"),
        "gpu": st.one_of(
            number("none", "sm_75", "gfx90a", "2x A100", "M2"), names.map(lambda name: f"amd {name}")
        ),
        "python": number("3.11", "3.13t", "3.12.4"),
    },
)


@given(said)
def test_describing_a_target_gives_it_back(words: dict[str, str]) -> None:
    target = parse(",".join(f'{word}="{value}"' for word, value in words.items()))
    assert parse(describe(target)) == target


def test_wanted() -> None:
    wanted = parse_wanted("TensorFlow >= 2.18, <2.20")
    assert wanted.framework == "tensorflow"
    assert wanted.specifier == SpecifierSet(">=2.18,<2.20")
    assert parse_wanted("PyTorch_Lightning").framework == "pytorch-lightning"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "torch==",
        "torch=2",
        "../torch",
        "torch; rm -rf /",
        "torch @ file:///x",
        "torch; python_version<'3'",
        "a" * 300,
    ],
)
def test_wanted_refuses_what_it_cannot_read(text: str) -> None:
    with pytest.raises(UsageError):
        parse_wanted(text)


def test_wanted_keeps_extras_in_their_canonical_spelling() -> None:
    wanted = parse_wanted("tensorflow[And_CUDA]==2.20.0")
    assert (wanted.framework, wanted.extras) == ("tensorflow", ("and-cuda",))
    assert wanted.text == "tensorflow[And_CUDA]==2.20.0"


@given(st.text(max_size=60))
def test_any_text_is_wanted_or_a_usage_error(text: str) -> None:
    for reader in (parse_wanted, parse_python, parse_cuda):
        assert isinstance(parsed(reader, text), (Wanted, SpecifierSet, str, UsageError))


def test_python_and_cuda() -> None:
    assert parse_python("3.12") == SpecifierSet("==3.12.*")
    assert parse_python("3.12.4") == SpecifierSet("==3.12.4")
    assert parse_python(">=3.11") == SpecifierSet(">=3.11")
    assert [parse_cuda(text) for text in ("12", "12.6", "cu126", "CUDA 12")] == ["12", "12.6", "12.6", "12"]
    for reader in (parse_python, parse_cuda):
        with pytest.raises(UsageError):
            reader("newest")
