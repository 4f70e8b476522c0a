"""Advice out of numbers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.catalog.load import load
from dlsetup.model.hardware import Hardware
from dlsetup.model.links import links_in
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.tuning import Advice, CpuRoom, Measured, Numbers, Surroundings, Variant
from dlsetup.plan.tuning.advising import advise, batch_to_compare, settings_of
from dlsetup.plan.tuning.batches import parts_of
from dlsetup.plan.tuning.comparing import compare
from dlsetup.plan.tuning.written import WRITTEN
from dlsetup.verify.measuring import measurable

NOWHERE = Surroundings()
NOTHING = Hardware()


@pytest.fixture(scope="module")
def hardware() -> Hardware:
    return load(()).hardware


def variant(name: str, *rates: float, **more: Any) -> Variant:
    return Variant(name=name, rates=rates, **more)


def measured(name: str, *variants: Variant, framework: str = "torch", **numbers: Any) -> Measured:
    return Measured(
        id=f"{framework}-{name}",
        framework=framework,
        name=name,
        title="",
        verdict="yes",
        numbers=Numbers(variants=variants, **numbers),
    )


def sizes(*rates: float, **numbers: Any) -> Measured:
    """Batches of 1, 2, 4 … with these rates."""
    found = [
        variant(str(1 << place), *[rate] * 5, batch=1 << place, bytes=(1 << place) << 20)
        for place, rate in enumerate(rates)
    ]
    return measured("batch", *found, **{"fits": 1 << (len(rates) - 1), **numbers})


def one(advice: tuple[Advice, ...], setting: str) -> Advice:
    (found,) = (item for item in advice if item.setting == setting)
    return found


def advised(
    *every: Measured, here: Surroundings = NOWHERE, hardware: Hardware = NOTHING, **more: Any
) -> tuple[Advice, ...]:
    return advise(every, here, hardware, **{"framework": "torch", **more})


def test_faster_is_only_what_stands_out_of_the_noise() -> None:
    usual = variant("usual", 98, 100, 102, 99, 101)
    assert compare(variant("x", 118, 120, 122, 119, 121), usual).said == "faster"
    assert compare(variant("x", 80, 82, 81, 79, 80), usual).said == "slower"
    assert compare(variant("x", 102, 103, 104, 103, 103), usual).said == "alike", "three percent are nothing"
    assert compare(variant("x", 60, 180, 120, 90, 170), usual).said == "alike", "its quartiles meet the usual"
    assert compare(variant("x", 200, 200), usual).said == "few"
    one_disturbed = variant("x", 118, 120, 122, 119, 30)
    assert compare(one_disturbed, usual).said == "faster"


@given(st.lists(st.floats(1, 1e6), min_size=3, max_size=9))
def test_nothing_is_faster_than_itself(rates: list[float]) -> None:
    same = variant("a", *rates)
    assert compare(same, same).said == "alike"


def test_the_smallest_batch_that_is_nearly_as_fast_is_taken() -> None:
    (advice,) = advised(sizes(10, 20, 39, 40, 40, ended_by="rate"))
    assert (advice.value, advice.standing) == ("4", "change")
    assert "at least 16 fit" in advice.because
    assert "batch_size=4" in advice.how[0]


def test_where_memory_ended_some_of_it_is_left() -> None:
    (advice,) = advised(sizes(10, 20, 40, 80, 160, ended_by="memory", too_many=17))
    assert advice.value == "8", "16 is the very last that fits"
    assert "17 did not fit" in advice.because


def test_not_even_one_sample_fits() -> None:
    (advice,) = advised(measured("batch", ended_by="memory", too_many=1))
    assert advice.standing == "open"
    assert "not even one sample" in advice.because


def test_pieces_of_memory_ask_for_another_allocator() -> None:
    wasteful = sizes(10, 20, ended_by="memory", too_many=3, room_bytes=1000, wasted_bytes=200)
    assert one(advised(wasteful), "allocator").how == (
        "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
    )
    tidy = sizes(10, 20, ended_by="memory", too_many=3, room_bytes=1000, wasted_bytes=50)
    assert [item.setting for item in advised(tidy)] == ["batch"]


@given(st.integers(1, 5000), st.integers(1, 600), st.integers(1, 600))
def test_parts_of_a_wished_batch_fit_and_make_it(wished: int, most: int, fast: int) -> None:
    part, steps = parts_of(wished, most, variant("", 1.0, batch=fast))
    assert 1 <= part <= most
    assert wished <= part * steps < wished + steps
    if wished <= most:
        assert steps == 1


def test_a_divisor_is_taken_where_there_is_a_good_one() -> None:
    assert parts_of(512, 100, None) == (64, 8)
    assert parts_of(96, 96, None) == (96, 1)
    assert parts_of(101, 50, None) == (34, 3), "a prime"


def test_accumulation_is_advised_and_in_the_settings() -> None:
    batch = sizes(10, 20, 40, 80, 160, ended_by="memory", too_many=17)
    advice = advised(batch, wished=56)
    assert one(advice, "accumulation").value == "4 steps of 14"
    assert one(advice, "batch").value == "14", "the size of a part, as the loader gets it"
    settings = settings_of(advice, [batch], wished=56)
    assert (settings.batch, settings.accumulate) == (14, 4)
    assert one(advised(wished=56), "accumulation").standing == "open"


def amp(brief: float, half: float = 0.0, capability: str = "", full: float = 100) -> Measured:
    rates = {"float32": full, "bfloat16": brief, "float16": half}
    found = [variant(name, *[rate] * 5) for name, rate in rates.items() if rate]
    return measured("amp", *found, capability=capability, device="cuda")


def test_bfloat16_is_taken_where_it_is_native_and_nearly_as_fast(hardware: Hardware) -> None:
    advice = one(advised(amp(195, 200, "8.0"), hardware=hardware), "amp")
    assert advice.value == "bfloat16"
    assert advice.gain == 1.95
    assert "by itself" in advice.because
    assert advice.sources == ("torch-native-formats",)
    assert advice.how == ('with torch.autocast("cuda", dtype=torch.bfloat16): loss = …',)


def test_what_a_gpu_emulates_is_not_advised_however_fast(hardware: Hardware) -> None:
    advice = one(advised(amp(300, 200, "7.5"), hardware=hardware), "amp")
    assert advice.value == "float16"
    assert "only emulates" in advice.because
    assert "scaler" in advice.how[0]


def test_mixed_precision_that_brings_nothing_is_left() -> None:
    advice = one(advised(amp(101)), "amp")
    assert (advice.value, advice.standing, advice.how) == ("float32", "keep", ())
    assert "noise" in advice.because


def test_no_tf32_before_ampere(hardware: Hardware) -> None:
    rows = (variant("float32", *[100.0] * 5), variant("tf32", *[200.0] * 5))
    old = one(advised(measured("tf32", *rows, capability="7.5"), hardware=hardware), "tf32")
    new = one(advised(measured("tf32", *rows, capability="9.0"), hardware=hardware), "tf32")
    assert (old.standing, new.standing) == ("keep", "change")


def test_compiling_says_when_it_is_earned_back() -> None:
    rows = (variant("eager", *[100.0] * 5), variant("compiled", *[200.0] * 5))
    advice = one(advised(measured("compile", *rows, once_seconds=30)), "compile")
    assert "earned back after 6000 samples" in advice.because
    slower = (variant("eager", *[100.0] * 5), variant("compiled", *[50.0] * 5))
    assert one(advised(measured("compile", *slower, once_seconds=30)), "compile").value == "eager"


def workers(*rates: float) -> Measured:
    names = ("0 workers", "1 worker, 2 ahead", "2 workers, 2 ahead", "4 workers, 2 ahead")
    found = [variant(name, *[rate] * 5) for name, rate in zip(names, rates, strict=True)]
    return measured("workers", *found, data="x", batch_bytes=100 << 20)


def test_the_fewest_workers_that_feed_the_training() -> None:
    advice = one(advised(sizes(50, 100), workers(40, 130, 250, 400)), "workers")
    assert advice.value == "1 worker, 2 ahead"
    alone = one(advised(workers(40, 130, 250, 400)), "workers")
    assert alone.value == "4 workers, 2 ahead"
    enough = one(advised(sizes(5, 10), workers(40, 130, 250, 400)), "workers")
    assert (enough.value, enough.standing) == ("0 workers", "keep")
    starving = one(advised(sizes(500, 1000), workers(40, 130, 250, 400)), "workers")
    assert starving.value == "4 workers, 2 ahead"
    assert "has to wait" in starving.because


def test_threads_are_numbers_in_the_settings() -> None:
    found = measured("threads", variant("1 thread", 9, 9, 9), variant("4 threads", 3, 3, 3), usual=4)
    advice = advised(found)
    assert one(advice, "threads").gain == 3.0
    assert settings_of(advice, [found]).threads == 1


def test_a_little_shared_memory_matters_only_to_workers() -> None:
    small = Surroundings(shm_bytes=64 << 20, container="docker")
    assert one(advised(here=small), "shared-memory").how == ("docker run --shm-size=1g …",)
    assert advised(here=Surroundings(shm_bytes=8 << 30)) == ()
    fed = advised(workers(100, 50, 50, 50), here=small)
    assert [item.setting for item in fed] == ["workers"], "no worker, no shared memory"
    full = one(advised(workers(10, 50, 100, 200), here=Surroundings(shm_bytes=1 << 30)), "shared-memory")
    assert full.value == "4 GiB"


@pytest.mark.parametrize(
    ("cpu", "value"),
    [
        (CpuRoom(usable=16, quota=2.0), "2 threads"),
        (CpuRoom(usable=16, quota=0.5), "1 thread"),
        (CpuRoom(usable=16, quota=16.0), None),
        (CpuRoom(usable=16, quota=None), None),
        (CpuRoom(usable=UNKNOWN, quota=2.0), None),
        (CpuRoom(usable=16, quota=UNKNOWN), None),
    ],
)
def test_a_quota_bounds_threads(cpu: CpuRoom, value: str | None) -> None:
    found = [item.value for item in advised(here=Surroundings(cpu=cpu))]
    assert found == ([] if value is None else [value])


TOPOLOGY = """
        GPU0    GPU1    GPU2    CPU Affinity    NUMA Affinity
GPU0     X      NV12    SYS     0-15            0
GPU1    NV12     X      SYS     0-15            0
GPU2    SYS     SYS      X      16-31           1
"""


def test_gpus_that_are_far_apart_are_named_with_two_that_are_near() -> None:
    here = Surroundings(gpus=3, links=links_in(TOPOLOGY), iommu=None)
    advice = one(advised(here=here), "links")
    assert "GPUs 0 and 2" in advice.because
    assert advice.how == ("export CUDA_VISIBLE_DEVICES=0,1",)


def test_of_one_gpu_no_links_are_spoken_of_and_of_several_unknown_ones_they_are_asked_for() -> None:
    assert advised(here=Surroundings(gpus=1, iommu="intel_iommu=on")) == ()
    unknown = advised(here=Surroundings(gpus=2, links=UNKNOWN, iommu=None))
    assert [(item.setting, item.standing) for item in unknown] == [("links", "open")]
    told = advised(here=Surroundings(gpus=2, links=(), iommu="intel_iommu=on"))
    assert one(told, "p2p").standing == "open"


def test_a_gpu_that_was_not_used_is_spoken_of_first() -> None:
    batch = sizes(10, 20, device="cpu")
    assert advised(batch, here=Surroundings(gpus=1))[0].setting == "device"
    assert [item.setting for item in advised(batch, here=Surroundings(gpus=0))] == ["batch"]
    used = sizes(10, 20, device="cuda")
    assert [item.setting for item in advised(used, here=Surroundings(gpus=1))] == ["batch"]


def test_each_gpu_has_its_node() -> None:
    cpu = CpuRoom(nodes=("0-15", "16-31"))
    advice = one(advised(here=Surroundings(cpu=cpu, gpu_nodes=(0, 1))), "affinity")
    assert "--cpunodebind=1 --membind=1" in advice.how[1]
    assert advised(here=Surroundings(cpu=cpu, gpu_nodes=(-1, -1))) == ()


def test_comparisons_take_short_steps() -> None:
    slow = sizes(10, 20, 40, 80, ended_by="time")
    assert batch_to_compare(slow, None) == 8
    assert batch_to_compare(sizes(2, 2.5, 3, ended_by="time"), None) == 1
    assert batch_to_compare(None, None) == 32
    assert batch_to_compare(None, 8) == 8


def test_what_was_not_measured_is_as_usual() -> None:
    settings = settings_of((), [])
    assert (settings.batch, settings.amp, settings.workers, settings.threads) == (32, "", 0, 0)


@pytest.mark.parametrize("framework", measurable())
def test_every_framework_has_its_words(framework: str) -> None:
    lines = WRITTEN[framework]
    assert {"batch", "accumulation", "bfloat16"} <= set(lines)
    assert not isinstance(lines["batch"], Unknown)
