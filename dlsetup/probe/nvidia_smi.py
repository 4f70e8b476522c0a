"""`nvidia-smi`, asked for tables and XML. Its banner is for people and has had three layouts."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes, printable, whole_number
from dlsetup.probe.nvidia_files import WSL_FOLDER, release_in
from dlsetup.probe.nvml import HIDE_GPUS, NvmlGpu, bus_address

DEADLINE = 5.0
FIELDS = ("index", "name", "driver_version", "memory.total", "pci.bus_id")
NEWER_FIELDS = ("compute_cap", "mig.mode.current")
PLACES = (f"{WSL_FOLDER}/nvidia-smi", "/usr/bin/nvidia-smi", "C:/Windows/System32/nvidia-smi.exe")
NOTHING = ("", "[n/a]", "n/a", "[not supported]", "[unknown error]")


class SmiAnswer(Record, frozen=True, kw_only=True):
    """`words`: what it said instead of an answer."""

    driver: DriverRelease | Unknown = UNKNOWN
    cuda: CudaVersion | Unknown = UNKNOWN
    gpus: tuple[NvmlGpu, ...] | Unknown = UNKNOWN
    words: str = ""


def smi_path(host: Host) -> str | None:
    """Where `nvidia-smi` is; services and `sudo` often leave its folder out of PATH."""
    return host.which("nvidia-smi") or next((place for place in PLACES if host.is_file(place)), None)


def ask_smi(host: Host, notes: Notes, path: str) -> SmiAnswer:
    """Ask for the table, with the newer fields where they are known, then for the XML."""
    rows, words = _table(host, path)
    if not rows and words:
        notes.gap("gpus.nvidia-smi", words, "nvidia-smi")
    outcome = host.run([path, "-q", "-x"], DEADLINE, **HIDE_GPUS) if rows else None
    text = outcome.out if outcome and outcome.ok else ""
    driver = next((release_in(row["driver_version"]) for row in rows), None)
    return SmiAnswer(
        driver=driver or UNKNOWN,
        cuda=ceiling_in(text),
        gpus=tuple(_gpu(row) for row in rows) if rows else UNKNOWN,
        words=words,
    )


def ceiling_in(xml: str) -> CudaVersion | Unknown:
    """The CUDA of the driver: `<cuda_version>12.4</cuda_version>`, `cuda_umd_version` since R610."""
    found = re.search(r"<cuda_(?:umd_)?version>\s*(\d{1,2}\.\d{1,2})\s*</cuda_(?:umd_)?version>", xml)
    version = CudaVersion(found[1]) if found else None
    return version if version and version.major >= 7 else UNKNOWN


def _table(host: Host, path: str) -> tuple[list[dict[str, str]], str]:
    """Rows of the table and, where there are none, what was said instead."""
    words = ""
    for fields in ((*FIELDS, *NEWER_FIELDS), (*FIELDS, NEWER_FIELDS[0]), FIELDS):
        argv = [path, f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits"]
        outcome = host.run(argv, DEADLINE, **HIDE_GPUS)
        if outcome.ok:
            return list(table_rows(outcome.out, fields)), ""
        words = outcome.reason or printable(outcome.out.strip() or outcome.err)
        if outcome.code is None or "not a valid field" not in outcome.out + outcome.err:
            break
    return [], words


def table_rows(text: str, fields: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Rows with exactly as many cells as there are fields; others are no rows."""
    # Before 3.11 the reader refuses a text with NUL in it.
    for cells in csv.reader(text.replace("\0", "").splitlines()[:256], skipinitialspace=True):
        if len(cells) == len(fields) and whole_number(cells[0].strip()) is not None:
            yield {field: printable(cell) for field, cell in zip(fields, cells, strict=True)}


def _gpu(row: dict[str, str]) -> NvmlGpu:
    memory = whole_number(row["memory.total"])
    capability = row.get("compute_cap", "")
    mig = row.get("mig.mode.current", "?").lower()
    return NvmlGpu(
        index=whole_number(row["index"]) or 0,
        name=UNKNOWN if row["name"].lower() in NOTHING else row["name"],
        capability=ComputeCapability(capability) if re.fullmatch(r"\d{1,2}\.\d", capability) else UNKNOWN,
        memory_bytes=memory << 20 if memory else UNKNOWN,
        mig={"enabled": True, "disabled": False, "[n/a]": None, "n/a": None}.get(mig, UNKNOWN),
        pci=bus_address(row["pci.bus_id"]),
    )
