"""For which processor a program was built, from the first bytes of its file."""

from __future__ import annotations

from dlsetup.model.record import UNKNOWN, Unknown

HEAD = 4096
ELF = {0x03: "i686", 0x3E: "x86_64", 0xB7: "aarch64", 0x15: "ppc64le", 0xF3: "riscv64"}
MACH_O = {0x01000007: "x86_64", 0x0100000C: "aarch64"}
WINDOWS = {0x14C: "i686", 0x8664: "x86_64", 0xAA64: "aarch64"}


def architecture(head: bytes) -> str | Unknown:
    """Out of an ELF, Mach-O or Windows program; unknown for scripts and for programs of several."""
    if head[:4] == b"\x7fELF":
        return ELF.get(int.from_bytes(head[18:20], "little"), UNKNOWN)
    if head[:4] == b"\xcf\xfa\xed\xfe":
        return MACH_O.get(int.from_bytes(head[4:8], "little"), UNKNOWN)
    if head[:2] == b"MZ":
        at = int.from_bytes(head[60:64], "little")
        if head[at : at + 4] == b"PE\0\0":
            return WINDOWS.get(int.from_bytes(head[at + 4 : at + 6], "little"), UNKNOWN)
    return UNKNOWN
