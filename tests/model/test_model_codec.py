"""Records survive JSON, keep unknown apart from absent, and name the place of a fault."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.model.codec import convert, decode, encode, schema
from dlsetup.model.errors import DataError
from dlsetup.model.machine import Driver, Gpu, Machine, System
from dlsetup.model.record import UNKNOWN
from dlsetup.model.target import Target
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease

releases = st.builds(
    lambda parts: DriverRelease(".".join(map(str, parts))),
    st.lists(st.integers(0, 999), min_size=1, max_size=3),
)
drivers = st.builds(
    Driver,
    module=st.one_of(st.just(UNKNOWN), st.none(), releases),
    userland=st.one_of(st.just(UNKNOWN), st.none(), releases),
    cuda_ceiling=st.one_of(st.just(UNKNOWN), st.just(CudaVersion("12.10"))),
    found_via=st.text(max_size=10),
)
gpus = st.builds(
    Gpu,
    vendor=st.sampled_from(["nvidia", "amd", "apple"]),
    name=st.one_of(st.just(UNKNOWN), st.text(max_size=20)),
    compute_capability=st.one_of(st.just(UNKNOWN), st.none(), st.just(ComputeCapability("8.9"))),
)
machines = st.builds(
    Machine,
    system=st.builds(System, arch=st.one_of(st.just(UNKNOWN), st.just("x86_64"))),
    driver=st.one_of(st.just(UNKNOWN), st.none(), drivers),
    gpus=st.one_of(st.just(UNKNOWN), st.lists(gpus, max_size=3).map(tuple)),
)


@given(machines)
def test_a_machine_survives_json(machine: Machine) -> None:
    assert decode(encode(machine), Machine, where="here") == machine


@given(machines)
def test_unknown_parts_are_left_out_and_absent_ones_are_not(machine: Machine) -> None:
    document = json.loads(encode(machine))
    assert ("driver" in document) == (machine.driver is not UNKNOWN)
    assert ("gpus" in document) == (machine.gpus is not UNKNOWN)
    assert (document.get("driver", "unknown") is None) == (machine.driver is None)


@given(machines)
def test_a_target_knows_what_its_machine_knows(machine: Machine) -> None:
    target = Target.of(machine)
    assert target.gpus == machine.gpus
    assert (target.driver is UNKNOWN) == (
        machine.driver is UNKNOWN
        or (isinstance(machine.driver, Driver) and machine.driver.release is UNKNOWN)
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"gpus": [{"vendor": "nvidia", "compute_capability": "nine"}]}', "$.gpus[0].compute_capability"),
        ('{"gpus": [{"vendor": "matrox"}]}', "$.gpus[0].vendor"),
        ('{"gpu": []}', "gpu"),
        ('{"driver": {"module": 535}}', "$.driver.module"),
        ("{", "saved.json"),
        ('{"schema": "dlsetup.machine/9"}', "$.schema"),
    ],
)
def test_a_fault_is_told_with_its_place(text: str, place: str) -> None:
    with pytest.raises(DataError) as caught:
        decode(text, Machine, where="saved.json")
    assert place in caught.value.message
    assert caught.value.message.startswith("saved.json: ")


@given(st.binary(max_size=200))
def test_any_bytes_are_a_machine_or_a_data_error(text: bytes) -> None:
    with contextlib.suppress(DataError):
        assert isinstance(decode(text, Machine, where="x"), Machine)


def test_dictionaries_are_read_like_json() -> None:
    assert convert({"vendor": "nvidia", "compute_capability": "8.9"}, Gpu, where="x") == Gpu(
        vendor="nvidia", compute_capability=ComputeCapability("8.9")
    )


def test_the_schema_describes_every_noun_of_a_machine() -> None:
    definitions = schema(Machine)["$defs"]
    assert {"Driver", "Gpu", "Environment", "Distribution"} <= definitions.keys()
    assert definitions["Gpu"]["properties"]["compute_capability"]
