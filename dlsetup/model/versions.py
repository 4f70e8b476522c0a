"""Version numbers as types with an order: 12.10 is newer than 12.9."""

from __future__ import annotations

import re
from typing import ClassVar, TypeVar

_D = TypeVar("_D", bound="Dotted")


class Dotted:
    """Whole numbers between dots. Missing parts count as zero; the spelling is kept.

    Raises `ValueError` for anything else than digits and dots, or for more than 40 characters.
    """

    __slots__ = ("parts", "text")
    form: ClassVar[re.Pattern[str]] = re.compile(r"\d{1,9}(\.\d{1,9}){0,5}")

    def __init__(self, text: str) -> None:
        if not self.form.fullmatch(text):
            raise ValueError(f"not a {type(self).__name__}: {text[:40]!r}")
        self.text = text
        self.parts = tuple(int(part) for part in text.split("."))

    def _key(self) -> tuple[int, ...]:
        parts = self.parts
        while len(parts) > 1 and parts[-1] == 0:
            parts = parts[:-1]
        return parts

    @property
    def major(self) -> int:
        return self.parts[0]

    @property
    def minor(self) -> int:
        return self.parts[1] if len(self.parts) > 1 else 0

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __lt__(self: _D, other: _D) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._key() < other._key()

    def __le__(self: _D, other: _D) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._key() <= other._key()

    def __gt__(self: _D, other: _D) -> bool:
        return other.__lt__(self)

    def __ge__(self: _D, other: _D) -> bool:
        return other.__le__(self)

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._key()))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"


class DriverRelease(Dotted):
    """The release of the NVIDIA driver, as in `Driver Version: 550.144.03`. Never a CUDA version."""

    __slots__ = ()


class CudaVersion(Dotted):
    """A CUDA version, as in `CUDA Version: 12.4` (a driver's ceiling) or `cuda_12.8` (a toolkit)."""

    __slots__ = ()

    @classmethod
    def from_api(cls, number: int) -> CudaVersion:
        """The number of `cuDriverGetVersion`: 12040 is 12.4."""
        return cls(f"{number // 1000}.{number % 1000 // 10}")

    @classmethod
    def from_variant(cls, variant: str) -> CudaVersion | None:
        """`cu126` is 12.6 and `cu92` is 9.2; a bare major (`cu12`) and other words are no version."""
        found = re.fullmatch(r"cu(\d{1,2})(\d)", variant)
        if not found or int(found[1]) < 7:
            return None
        return cls(f"{found[1]}.{found[2]}")

    @property
    def line(self) -> CudaVersion:
        """Major and minor alone: 12.6.3 belongs to the line 12.6."""
        return CudaVersion(f"{self.major}.{self.minor}")


class ComputeCapability(Dotted):
    """What an NVIDIA GPU can execute: 8.9 is written `sm_89` for code, `compute_89` for PTX."""

    __slots__ = ()
    form = re.compile(r"\d{1,2}\.\d")

    @classmethod
    def from_arch(cls, arch: str) -> ComputeCapability:
        """`sm_89`, `compute_120` or `sm_90a` (the suffix is dropped: it does not change the order)."""
        found = re.fullmatch(r"(?:sm|compute)_(\d{1,2})(\d)[af]?", arch)
        if not found:
            raise ValueError(f"not an architecture: {arch[:40]!r}")
        return cls(f"{found[1]}.{found[2]}")

    @property
    def sm(self) -> str:
        return f"sm_{self.major}{self.minor}"


class OsRelease(Dotted):
    """The version of an operating system or kernel by its leading numbers: macOS 14.5, Linux 6.1."""

    __slots__ = ()


class LibcVersion(Dotted):
    """The version of the C library: 2.17 is older than 2.28."""

    __slots__ = ()
