"""What frameworks and installers say themselves, in the words of each, decides the same way."""

from __future__ import annotations

import pytest
from told_remedies import diagnosed

SMI = "GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-aaaaaaaa-1111-2222-3333-444444444444)\n"
JAXLIB = "$ pip list | grep -E 'jax|cudnn'\njaxlib   0.4.23+cuda12.cudnn89\nnvidia-cudnn-cu12   {}\n"
RDNA = "torch version = 2.2.1+rocm5.7\ngcnArchName = {}\ntorch.cuda.get_arch_list() = ['gfx900', 'gfx1030']\n"
BEFORE = f"{SMI}> pip list | findstr torch\ntorch 2.4.1\n>>> torch.cuda.is_available()\n{{}}\n\n{{}}\n"
JAX = (
    "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed.\n"
    "| N/A   74C    P0   70W /  70W |  {} / 15360MiB |    {}%      Default |\n"
)


def found(text: str) -> set[str]:
    return {item.id for item in diagnosed(text).findings if item.severity == "error"}


@pytest.mark.parametrize(
    "line",
    [
        "Unable to find installation candidates for torch (2.2.0)",
        "[CandidateNotFound]: Unable to find candidates for torch==2.2.0. There may exist some issues",
        "hint: You're using CPython 3.13 (`cp313`), but `torch` (v2.2.0) only has wheels with the following "
        "Python ABI tags: `cp311`, `cp312`",
        "error: Distribution `torch==2.2.0 @ registry+https://mirror.example/whl/cu121` can't be installed "
        "because it doesn't have a source distribution or wheel for the current platform",
    ],
)
@pytest.mark.parametrize(("python", "expected"), [("3.13.1", True), ("3.11.9", False)])
def test_every_installer_says_that_there_is_no_wheel(line: str, python: str, expected: bool) -> None:
    assert ("python-too-new-for-wheel" in found(f"Python {python}\n{line}\n")) is expected


@pytest.mark.parametrize(("versions", "expected"), [("0.1.2, 1.7.1, 1.8.0", True), ("0.1.2", False)])
def test_a_list_that_begins_after_the_release(versions: str, expected: bool) -> None:
    text = "Could not find a version that satisfies the requirement torch==1.4.0 (from versions: {})\n"
    assert ("python-too-new-for-wheel" in found(f"Python 3.9.5\n{text.format(versions)}")) is expected


@pytest.mark.parametrize(("cudnn", "expected"), [("9.1.0.70", {"cudnn-major-mismatch"}), ("8.9.7.29", set())])
def test_a_local_version_names_its_cudnn(cudnn: str, expected: set[str]) -> None:
    assert found(JAXLIB.format(cudnn)) == expected


@pytest.mark.parametrize(("gfx", "expected"), [("gfx1032", {"rocm-gfx-not-in-build"}), ("gfx1030", set())])
def test_a_list_of_gfx_names(gfx: str, expected: set[str]) -> None:
    assert found(RDNA.format(gfx)) == expected


@pytest.mark.parametrize(
    ("answer", "words", "expected"),
    [
        ("False", "conda replaced 2.3.0+cu121 when I installed timm.", True),
        ("False", "Before that `2.3.0+cu121` was installed.", True),
        ("True", "Before that `2.3.0+cu121` was installed.", False),
        ("False", "I have read of 2.3.0+cu121.", False),
    ],
)
def test_a_build_that_somebody_tells_of(answer: str, words: str, expected: bool) -> None:
    assert ("dependency-replaced-torch" in found(BEFORE.format(answer, words))) is expected


@pytest.mark.parametrize(
    ("memory", "load", "expected"), [("11842MiB", 100, set()), ("3MiB", 0, {"cpu-only-jax"})]
)
def test_a_gpu_that_computes_is_not_idle(memory: str, load: int, expected: set[str]) -> None:
    assert found(JAX.format(memory, load)) == expected


def test_the_check_of_uv_names_two_frameworks() -> None:
    text = (
        " + torch==2.3.1\n + jax==0.4.30\n + jax-cuda12-plugin==0.4.30\nThe package `torch` requires "
        "`nvidia-cudnn-cu12==8.9.2.26 ; platform_machine == 'x86_64'`, but `9.2.0.82` is installed\n"
    )
    assert "two-frameworks-share-cudnn" in found(text)


@pytest.mark.parametrize(("after", "expected"), [("epoch 0 done in 41 s", True), ("^C", False)])
def test_a_run_without_p2p_that_gets_further(after: str, expected: bool) -> None:
    text = f"it hangs here\n# NCCL_P2P_DISABLE=1 torchrun ddp.py\n{after}\n\tACSCtl:\tSrcValid+ TransBlk-\n"
    assert ("p2p-blocked-by-acs" in found(text)) is expected


@pytest.mark.parametrize(("answer", "expected"), [("gpu:0", False), ("cpu", True)])
def test_paddle_says_which_device_it_uses(answer: str, expected: bool) -> None:
    text = f"{SMI}>>> paddle.__version__\n'2.6.2'\n>>> paddle.device.get_device()\n'{answer}'\n"
    assert ("cpu-only-paddlepaddle" in found(text)) is expected
