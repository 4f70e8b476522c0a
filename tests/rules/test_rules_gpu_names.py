"""GPUs by the names that drivers, boards, clouds and people give them, against the shipped rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.catalog.load import load
from dlsetup.model.hardware import Hardware
from dlsetup.model.record import Unknown
from dlsetup.rules.gpus import capability_by_name

HARDWARE = load([]).hardware
CHANGES_NOTHING = ("Laptop GPU", "with Max-Q Design", "Mobile", "16GB", "MIG 1g.10gb", "Lite Hash Rate")


@pytest.fixture(scope="module")
def hardware() -> Hardware:
    return HARDWARE


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("NVIDIA GeForce RTX 4060 Laptop GPU", "8.9"),
        ("RTX 4060 Mobile", "8.9"),
        ("rtx4090", "8.9"),
        ("GeForce RTX 4070 Ti SUPER", "8.9"),
        ("RTX 4070Ti Super", "8.9"),
        ("NVIDIA GeForce RTX 2070 Super with Max-Q Design", "7.5"),
        ("RTX 2060 Max-Q", "7.5"),
        ("GTX1080Ti", "6.1"),
        ("NVIDIA GeForce RTX 3080 Ti Laptop GPU", "8.6"),
        ("NVIDIA GeForce RTX 3060 Lite Hash Rate", "8.6"),
        ("RTX 3050 6GB Laptop GPU", "8.6"),
        ("NVIDIA GeForce RTX 5090 D", "12.0"),
        ("Orin", "8.7"),
        ("NVIDIA Jetson AGX Orin Developer Kit", "8.7"),
        ("NVIDIA Jetson Orin Nano Developer Kit", "8.7"),
        ("Xavier", "7.2"),
        ("NVIDIA Thor", "11.0"),
        ("NVIDIA GB10", "12.1"),
        ("A100 80GB PCIe MIG 1g.10gb", "8.0"),
        ("NVIDIA A100-SXM4-80GB MIG 1c.3g.40gb+me", "8.0"),
        ("NVIDIA H100 80GB HBM3", "9.0"),
        ("NVIDIA GH200 144G HBM3e", "9.0"),
        ("NVIDIA B300 SXM6 AC", "10.3"),
        ("Tesla V100-SXM2-32GB-LS", "7.0"),
        ("NVIDIA A10-24Q", "8.6"),
        ("GRID T4-16Q", "7.5"),
        ("A6000", "8.6"),
        ("RTX 8000", "7.5"),
        ("RTX 6000 Ada", "8.9"),
        ("RTX PRO 6000", "12.0"),
        ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "12.0"),
        ("NVIDIA RTX 2000 Ada Generation Laptop GPU", "8.9"),
        ("NVIDIA RTX A500 Laptop GPU", "8.6"),
        ("NVIDIA GeForce RTX 5050 Laptop GPU", "12.0"),
        ("NVIDIA RTX PRO 2000 Blackwell Embedded GPU", "12.0"),
        ("NVIDIA B100", "10.0"),
        ("Tesla V100S-PCIE-32GB", "7.0"),
        ("NVIDIA T4G", "7.5"),
        ("Quadro P520", "6.1"),
        ("Tesla K20Xm", "3.5"),
    ],
)
def test_names_of_many_spellings(hardware: Hardware, name: str, capability: str) -> None:
    assert str(capability_by_name(name, hardware)) == capability


@pytest.mark.parametrize(
    "name",
    [
        "RTX 6000",
        "RTX 3000",
        "RTX",
        "SUPER",
        "NVIDIA",
        "Laptop GPU",
        "Blackwell",
        "RTX 9090",
        "Quadro M5000M",
        "Quadro M620",
        "GeForce 910M",
        "NVIDIA Graphics Device",
        "",
    ],
)
def test_a_name_that_may_mean_several_or_none_tells_nothing(hardware: Hardware, name: str) -> None:
    assert isinstance(capability_by_name(name, hardware), Unknown)


def test_every_row_finds_itself(hardware: Hardware) -> None:
    wrong = [
        row.name for row in hardware.gpus if capability_by_name(row.name, hardware) != row.compute_capability
    ]
    assert wrong == []


@given(row=st.sampled_from(HARDWARE.gpus), suffix=st.sampled_from(CHANGES_NOTHING))
def test_form_and_share_never_change_the_architecture(row: object, suffix: str) -> None:
    name = getattr(row, "name", "")
    found = capability_by_name(f"{name} {suffix}", HARDWARE)
    assert isinstance(found, Unknown) or found == getattr(row, "compute_capability", None)


@given(st.text(max_size=60))
def test_any_text_is_a_name(text: str) -> None:
    assert capability_by_name(text, HARDWARE) is not None
