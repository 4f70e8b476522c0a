"""Files of CUDA libraries in listings, in the loader's words, in headers and in sentences."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlsetup.intake.fact import Fact
from dlsetup.intake.formats import library_files
from dlsetup.intake.page import Page
from dlsetup.intake.reading import facts_of
from dlsetup.model.machine import Library

KNOWN = (library_files.files, library_files.header, library_files.words)
WHEEL = "/home/ada/env/lib/python3.10/site-packages/nvidia/cudnn/lib/libcudnn.so.9.1.0"
LINES = (
    "/opt/conda/envs/tf/lib/libcudnn.so.8.1.0",
    "lrwxrwxrwx 1 root root 17 May  2 2023 /usr/lib/x86_64-linux-gnu/libcudnn.so.8 -> libcudnn.so.8.9.2",
    "\tlibcudart.so.12 => /usr/local/cuda/lib64/libcudart.so.12 (0x00007f0d12000000)",
    "      4021:\tcalling init: /usr/lib/x86_64-linux-gnu/libcudnn_ops.so.9",
    "7f0a12000000-7f0a12100000 r-xp 00000000 08:01 12 /usr/lib/libcudnn_cnn_infer.so.8.9.7",
    "#define CUDNN_MAJOR 8",
    "#define CUDNN_MINOR 9",
    "#define CUDNN_PATCHLEVEL 2",
    "CUDA 11.2.152, cuDNN 8.1.1",
    "Ascend-cann-toolkit 5.0.4, Ascend-cann-nnae 5.0.4",
)


def facts(text: str) -> list[Fact]:
    return [item for item in facts_of(Page(text, "ls.txt"), KNOWN) if isinstance(item, Fact)]


def libraries(text: str) -> list[Library]:
    return [item.value for item in facts(text) if item.about == "library"]


@pytest.mark.parametrize(
    ("line", "version", "kind"),
    [(LINES[0], "8.1.0", "conda"), (WHEEL, "9.1.0", "wheel")],
)
def test_a_file_with_its_version_and_owner(line: str, version: str, kind: str) -> None:
    (library,) = libraries(line)
    assert (library.library, str(library.version), library.owner.kind) == ("cudnn", version, kind)


def test_a_wheel_lies_in_its_environment() -> None:
    assert libraries(WHEEL)[0].environment == "/home/ada/env"
    assert libraries(LINES[0])[0].environment is None


@pytest.mark.parametrize("line", LINES[2:5])
def test_what_a_process_has_loaded(line: str) -> None:
    seen = [item.value for item in facts(line) if item.about == "observation"]
    assert [item.subject for item in seen] == ["loaded.library"]


def test_a_listing_is_no_loading() -> None:
    assert not [item for item in facts("\n".join(LINES[:2])) if item.about == "observation"]


def test_the_header_of_cudnn() -> None:
    assert [str(item.version) for item in libraries("\n".join(LINES[5:8]))] == ["8.9.2"]


def test_versions_in_words() -> None:
    found = facts("\n".join(LINES[8:]))
    assert [str(item.value.version) for item in found if item.about == "library"] == ["8.1.1"]
    assert [str(item.value.version) for item in found if item.about == "toolkit"] == ["11.2.152"]
    assert [item.value.version for item in found if item.about == "package"] == ["5.0.4", "5.0.4"]


@pytest.mark.parametrize(
    "line",
    [
        "libcudnn.so.8: cannot open shared object file: No such file or directory",
        "nvidia-smi: CUDA Version: 12.4",
        "ERROR: /usr/lib/libcudnn.so.8.1.0 is broken",
    ],
)
def test_what_names_no_copy(line: str) -> None:
    assert facts(line) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(LINES) | st.text(max_size=80)))
def test_no_text_breaks_it(lines: list[str]) -> None:
    assert all(item.source for item in facts("\n".join(lines)))
