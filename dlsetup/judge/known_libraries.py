"""Which CUDA, cuDNN and CANN releases of programs are made for, where no package metadata says so."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.judge.known import Bound

_ORT_TABLE = "table of requirements of the CUDA execution provider (onnxruntime.ai): default wheels"
_TF_TABLE = "tested builds of TensorFlow (site/en/install/source.md and source_windows.md of tensorflow/docs)"


class Needs(Bound, frozen=True, kw_only=True):
    """What releases need: a specifier each; empty: nothing is known."""

    cuda: SpecifierSet = SpecifierSet()
    cudnn: SpecifierSet = SpecifierSet()
    cann: SpecifierSet = SpecifierSet()


def needs_of(name: str, version: Version) -> Needs | None:
    """What that release of a distribution needs; None where nobody wrote it down."""
    found = (row for row in (*_onnxruntime(), *_tensorflow(), *_cudnn_users(), *_mindspore()))
    return next((row for row in found if row.holds_for(name, version)), None)


def in_words(specifier: SpecifierSet) -> str:
    """`==10.2.*` is `10.2`, `>=12,<13` is `12.x`, `>=8.6,<9` is `8.6 or a later 8.x`."""
    parts = [(item.operator, item.version) for item in specifier]
    exact = next((version.removesuffix(".*") for operator, version in parts if operator == "=="), None)
    floor = next((version for operator, version in parts if operator == ">="), None)
    if exact or floor is None:
        return exact or str(specifier)
    return f"{floor} or a later {floor.partition('.')[0]}.x" if "." in floor else f"{floor}.x"


def _row(name: str, releases: str, source: str, **needs: str) -> Needs:
    return Needs(
        framework=name,
        releases=SpecifierSet(releases),
        source=source,
        **{key: SpecifierSet(text) for key, text in needs.items()},
    )


def _onnxruntime() -> tuple[Needs, ...]:
    """Libraries of CUDA before 11 carry its minor in their names; later ones serve each other in a major."""
    rows = (
        ("<1.2", "==10.0.*", ">=7.6,<8"),
        (">=1.2,<1.5", "==10.1.*", ">=7.6,<8"),
        (">=1.5,<1.7", "==10.2.*", ">=8,<9"),
        (">=1.7,<1.9", ">=11,<12", ">=8,<9"),
        (">=1.9,<1.19", ">=11,<12", ">=8,<9"),
        (">=1.19,<1.27", ">=12,<13", ">=9,<10"),
        (">=1.27", ">=13,<14", ">=9,<10"),
    )
    return tuple(
        _row("onnxruntime-gpu", releases, _ORT_TABLE, cuda=cuda, cudnn=cudnn)
        for releases, cuda, cudnn in rows
    )


def _tensorflow() -> tuple[Needs, ...]:
    rows = (
        (">=1.5,<1.13", "==9.0.*", ">=7,<8"),
        (">=1.13,<2.1", "==10.0.*", ">=7.4,<8"),
        (">=2.1,<2.4", "==10.1.*", ">=7.6,<8"),
        (">=2.4,<2.5", "==11.0.*", ">=8,<9"),
        (">=2.5,<2.12", ">=11.2,<12", ">=8.1,<9"),
        (">=2.12,<2.15", "==11.8.*", ">=8.6,<9"),
        (">=2.15,<2.18", ">=12.2,<13", ">=8.9,<9"),
        (">=2.18", ">=12.5,<13", ">=9.3,<10"),
    )
    return tuple(
        _row(name, releases, _TF_TABLE, cuda=cuda, cudnn=cudnn)
        for name in ("tensorflow", "tensorflow-gpu")
        for releases, cuda, cudnn in rows
    )


def _cudnn_users() -> tuple[Needs, ...]:
    ctranslate2 = "changelog of CTranslate2: 4.5.0 is the first release for cuDNN 9"
    torch = "pins on nvidia-cudnn-cu12 in the metadata of torch: 2.4.0 is the first release with cuDNN 9"
    return (
        _row("ctranslate2", ">=4.5", ctranslate2, cuda=">=12,<13", cudnn=">=9,<10"),
        _row("ctranslate2", ">=4,<4.5", ctranslate2, cuda=">=12,<13", cudnn=">=8,<9"),
        _row("ctranslate2", ">=3,<4", ctranslate2, cuda=">=11,<12", cudnn=">=8,<9"),
        _row("torch", ">=2.4", torch, cudnn=">=9,<10"),
        _row("torch", ">=1.10,<2.4", torch, cudnn=">=8,<9"),
    )


def _mindspore() -> tuple[Needs, ...]:
    """By the major of CANN: every row is narrower in truth."""
    old = "mindspore-ai/mindspore issue 236 and the installation guides of r1.6 to r2.0"
    new = "table of Ascend driver, CANN and MindSpore in the repositories of mindspore-lab"
    return (
        _row("mindspore", ">=1.5,<1.8", old, cann=">=5,<6"),
        _row("mindspore", ">=2.0.0rc1,<2.1", old, cann=">=6,<7"),
        _row("mindspore", ">=2.1,<2.2", new, cann=">=6.3rc1,<7"),
        _row("mindspore", ">=2.2,<2.3", new, cann=">=7,<8"),
        _row("mindspore", ">=2.3,<2.7", new, cann=">=8.0rc1,<9"),
    )
