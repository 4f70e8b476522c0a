"""TensorFlow, Keras and LiteRT: what every build says, and what is chosen."""

from __future__ import annotations

import pytest
from catalog_answers import AMD, NOTHING, NVIDIA, answer, asked, framework, planned
from packaging.version import Version

from dlsetup.intake.wish import parse_python
from dlsetup.model.framework import Build, Catalog
from dlsetup.model.resolution import Conflict

WINDOWS = "os=windows,arch=x86_64,driver=560.94,gpu=RTX 4090"
NUMPY1 = Version("1.26.4")
NUMPY2 = Version("2.0.0")


def on_windows(build: Build) -> bool:
    return any(wheels.platform.startswith("win") for wheels in build.wheels)


@pytest.mark.parametrize(
    ("version", "variant", "expects"),
    [
        ("2.3.4", "cu101", {"cuda==10.1.*", "cudnn>=7.6,<8"}),
        ("2.4.4", "cu110", {"cuda==11.0.*", "cudnn>=8.0,<9"}),
        ("2.10.1", "cu112", {"cuda>=11.2,<12", "cudnn>=8.1,<9"}),
        ("2.11.0", "cu112", {"cuda>=11.2,<12", "cudnn>=8.1,<9"}),
        ("2.13.1", "cu118", {"cuda==11.8.*", "cudnn>=8.6,<9"}),
        ("2.15.0", "cu122", {"cuda>=12.2,<13", "cudnn>=8.9,<9"}),
    ],
)
def test_plain_wheels_with_cuda_code_say_what_they_expect(
    shipped: Catalog, version: str, variant: str, expects: set[str]
) -> None:
    builds = framework(shipped, "tensorflow").of(Version(version))
    cuda = [build for build in builds if build.accelerator == "cuda"]
    assert {build.variant for build in cuda} == {variant}
    for build in cuda:
        assert set(build.expects) == expects
        assert build.requirements == (f"tensorflow=={version}",)


def test_a_release_has_an_extra_for_cuda_or_expectations_and_never_both(shipped: Catalog) -> None:
    for build in framework(shipped, "tensorflow").builds:
        if build.accelerator == "cuda":
            assert ("[and-cuda]" in build.requirements[0]) != bool(build.expects), build.requirements


def test_native_windows_has_cuda_builds_up_to_2_10(shipped: Catalog) -> None:
    cuda = [build for build in framework(shipped, "tensorflow").builds if build.accelerator == "cuda"]
    versions = {build.version for build in cuda if on_windows(build)}
    assert max(versions) == Version("2.10.1")
    assert planned(shipped, WINDOWS, "tensorflow")["tensorflow"].version == Version("2.10.1")


def test_windows_before_2_11_says_why_nothing_newer_serves_the_gpu(shipped: Catalog) -> None:
    pick = planned(shipped, WINDOWS, "tensorflow")["tensorflow"]
    assert "tensorflow 2.11.0" in pick.because
    assert "Windows" in pick.because
    assert pick.expects


def test_tensorflow_built_for_numpy_1_admits_no_numpy_2(shipped: Catalog) -> None:
    old = [item for item in framework(shipped, "tensorflow").builds if item.version < Version("2.18")]
    assert old
    for build in old:
        numpy = asked(build, "numpy")
        assert numpy is not None, (build.version, build.requires)
        assert not numpy.contains(NUMPY2), (build.version, numpy)


def test_tensorflow_before_2_11_admits_no_protobuf_that_breaks_it(shipped: Catalog) -> None:
    for build in framework(shipped, "tensorflow").builds:
        protobuf = asked(build, "protobuf")
        if build.version < Version("2.11"):
            assert protobuf is not None
            assert not protobuf.contains("3.21.0"), (build.version, protobuf)
            assert protobuf.contains("3.19.6") or protobuf.contains("3.20.3"), (build.version, protobuf)


def test_tensorflow_2_14_follows_the_pythons_of_its_tensorrt(shipped: Catalog) -> None:
    builds = framework(shipped, "tensorflow").of(Version("2.14.1"))
    (cuda,) = (build for build in builds if build.accelerator == "cuda")
    pythons = {python for wheels in cuda.wheels for python in wheels.pythons}
    assert "cp310" in pythons
    assert "cp311" not in pythons


def test_a_release_candidate_is_believed_as_far_as_its_metadata_goes(shipped: Catalog) -> None:
    builds = framework(shipped, "tensorflow").of(Version("2.22.0rc0"))
    if not builds:
        pytest.skip("the catalog has a finished tensorflow 2.22")
    assert all(build.beyond and build.prerelease for build in builds)
    cuda = [build for build in builds if build.accelerator == "cuda"]
    assert {build.cuda.major for build in cuda if build.cuda} == {12}


def test_rocm_builds_of_tensorflow_expect_the_rocm_of_their_last_number(shipped: Catalog) -> None:
    rocm = [build for build in framework(shipped, "tensorflow").builds if build.accelerator == "rocm"]
    assert len(rocm) >= 6
    for build in rocm:
        number = str(build.version.release[3])
        assert build.variant == f"rocm{number[0]}.{number[1]}"
        assert build.expects == (f"rocm=={number[0]}.{number[1]}.*",)
        assert build.requirements == (f"tensorflow-rocm=={build.version}",)
    assert planned(shipped, AMD, "tensorflow")["tensorflow"].variant == "rocm6.0"


def test_old_pythons_get_the_last_tensorflow_for_them(shipped: Catalog) -> None:
    pick = planned(shipped, NVIDIA, "tensorflow", python=parse_python("3.8"))["tensorflow"]
    assert (str(pick.version), pick.variant) == ("2.13.1", "cu118")
    assert pick.expects
    assert ".600" not in pick.because


def test_each_keras_2_goes_with_the_tensorflow_of_its_number_alone(shipped: Catalog) -> None:
    keras = [build for build in framework(shipped, "keras").builds if build.version < Version("3")]
    assert {build.version.minor for build in keras} == set(range(6, 16))
    for build in keras:
        tensorflow = asked(build, "tensorflow")
        assert tensorflow is not None
        admitted = [minor for minor in range(1, 22) if tensorflow.contains(f"2.{minor}.0")]
        assert admitted == [build.version.minor]


def test_tensorflow_itself_agrees_about_its_keras(shipped: Catalog) -> None:
    """The rows about Keras 2 against what the metadata of TensorFlow pins."""
    keras = {build.version for build in framework(shipped, "keras").builds if not build.prerelease}
    checked = 0
    for build in framework(shipped, "tensorflow").builds:
        pin = asked(build, "keras")
        if pin is not None and build.version < Version("2.16"):
            assert {item.minor for item in pin.filter(keras)} == {build.version.minor}, build.version
            checked += 1
    assert checked > 50


@pytest.mark.parametrize(
    ("wanted", "backends"),
    [
        (["keras"], {"tensorflow"}),
        (["keras", "torch"], {"torch"}),
        (["jax", "keras"], {"jax"}),
        (["keras", "jax", "tensorflow"], {"jax", "tensorflow"}),
    ],
)
def test_keras_3_takes_the_backend_that_is_wanted_or_else_tensorflow(
    shipped: Catalog, wanted: list[str], backends: set[str]
) -> None:
    picks = planned(shipped, NVIDIA, *wanted)
    assert picks["keras"].version >= Version("3")
    assert picks.keys() & {"tensorflow", "jax", "torch"} == backends


def test_keras_2_has_no_tensorflow_for_python_3_12(shipped: Catalog) -> None:
    found = answer(shipped, NOTHING, "keras<3", python=parse_python("3.12"))
    assert isinstance(found, Conflict)
    told = "; ".join(clause.text for clause in found.core)
    assert "keras 2.15.0 (any) asks for tensorflow<2.16,>=2.15" in told
    assert any(plan.picks[0].version.major == 3 for way in found.ways_out for plan in way.plans)


def test_tf_keras_goes_with_the_tensorflow_of_its_number_alone(shipped: Catalog) -> None:
    for build in framework(shipped, "tf-keras").builds:
        tensorflow = asked(build, "tensorflow")
        assert tensorflow is not None, build.version
        admitted = [minor for minor in range(1, 30) if tensorflow.contains(f"2.{minor}.0")]
        assert admitted == [build.version.minor]


def test_tensorflow_pins_the_line_of_tensorboard(shipped: Catalog) -> None:
    picks = planned(shipped, NOTHING, "tensorflow==2.20.0", "tensorboard")
    assert picks["tensorboard"].version.release[:2] == (2, 20)


def test_tflite_runtime_has_ended_and_says_with_what(shipped: Catalog) -> None:
    tflite = framework(shipped, "tflite-runtime")
    assert tflite.ended is not None
    newest = max(tflite.builds, key=lambda build: build.version)
    assert (newest.version, newest.released) == (tflite.ended.last, tflite.ended.when)
    assert "ai-edge-litert" in tflite.ended.instead
    refused = answer(shipped, NOTHING, "tflite-runtime", python=parse_python("3.12"))
    assert isinstance(refused, Conflict)
    assert "no wheel for Python 3.12" in refused.core[-1].text
    successor = planned(shipped, NOTHING, "ai-edge-litert", python=parse_python("3.12"))
    assert successor["ai-edge-litert"].version >= Version("2.3")


@pytest.mark.parametrize(
    ("name", "below"), [("tflite-runtime", "99"), ("ai-edge-litert", "1.1"), ("jax", "0.4.26")]
)
def test_what_was_tried_under_numpy_2_and_failed_admits_numpy_1_alone(
    shipped: Catalog, name: str, below: str
) -> None:
    old = [build for build in framework(shipped, name).builds if build.version < Version(below)]
    assert old
    for build in old:
        numpy = asked(build, "numpy")
        assert numpy is not None
        assert not numpy.contains(NUMPY2), build.version
    assert any(bound.contains(NUMPY1) for build in old if (bound := asked(build, "numpy")))
