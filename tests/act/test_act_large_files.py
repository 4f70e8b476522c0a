"""Content of big files that an inventory has no hash of."""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path

from dlsetup.act.inventory import HASHED_UP_TO
from dlsetup.act.large_files import Unlike, compare_with_records
from dlsetup.probe.host import Host

BIG = b"b" * (HASHED_UP_TO + 1)


def put(environment: Path, name: str, listed: bytes | None, path: str = "nvidia/lib/libx.so.1") -> Path:
    """A distribution whose RECORD lists the content for a path; None: without a hash."""
    site = environment / "lib" / "python3.11" / "site-packages"
    info = site / f"{name}-1.dist-info"
    info.mkdir(parents=True)
    text = "" if listed is None else base64.urlsafe_b64encode(hashlib.sha256(listed).digest()).decode()
    digest = f"sha256={text.rstrip('=')}" if text else ""
    (info / "RECORD").write_text(f"{path},{digest},\n")
    (site / path).parent.mkdir(parents=True, exist_ok=True)
    return site / path


def compared(environment: Path) -> Unlike:
    return compare_with_records(Host.here({}), environment)


def test_a_big_file_is_held_against_its_record(tmp_path: Path) -> None:
    file = put(tmp_path, "x", BIG)
    file.write_bytes(BIG)
    assert compared(tmp_path) == Unlike()
    about = file.stat()
    file.write_bytes(b"c" + BIG[1:])
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    name = str(file.relative_to(tmp_path))
    assert compared(tmp_path) == Unlike(files=(name,))
    put(tmp_path, "y", b"c" + BIG[1:])
    assert compared(tmp_path) == Unlike(), "it is that of the other owner"


def test_small_files_links_and_what_nobody_lists(tmp_path: Path) -> None:
    file = put(tmp_path, "x", b"other")
    file.write_bytes(b"small")
    file.with_name("link").symlink_to("/dev/zero")
    assert compared(tmp_path) == Unlike()
    file.with_name("model.bin").write_bytes(BIG)
    put(tmp_path, "y", None, "z/z.so").write_bytes(BIG)
    assert compared(tmp_path) == Unlike(unlisted=2)
