"""What a text means: messages of the wild and their explanations, what is filled in, what is left out."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dlsetup.catalog.explanations import explanations
from dlsetup.catalog.messages import knowledge
from dlsetup.intake.messages import Sought
from dlsetup.intake.report import Ways, report_of
from dlsetup.judge.explaining import explain, fill, named
from dlsetup.model.explanation import Explained
from dlsetup.model.record import UNKNOWN
from dlsetup.model.report import Message
from dlsetup.model.signature import Signature

MESSAGES = knowledge()
KNOWN = (explanations(), MESSAGES)
WAYS = Ways((), tuple(map(Sought, MESSAGES.signatures)))

WILD = {
    "gpu-memory": (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB",
        "RuntimeError: CUDA error: out of memory",
        "RuntimeError: HIP out of memory. Tried to allocate 1.50 GiB",
        "RuntimeError: CUDA out of memory. Tried to allocate 2.00 MiB (GPU 0; 7.80 GiB total capacity; 6.34 "
        "GiB already allocated; 7.31 MiB free; 6.40 GiB reserved in total by PyTorch)",
    ),
    "tensorflow-memory": (
        "ResourceExhaustedError: OOM when allocating tensor with shape[256,512,64,64] and type float",
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.25GiB (rounded to 2415919104)",
    ),
    "jax-memory": (
        "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes.",
    ),
    "paddle-memory": (
        "ResourceExhaustedError: Out of memory error on GPU 0. Cannot allocate 1.500000GB memory on GPU 0, "
        "7.200000GB memory has been allocated and available memory is only 800.000000MB.",
    ),
    "mps-memory": (
        "RuntimeError: MPS backend out of memory (MPS allocated: 18.50 GiB, other allocations: 448.00 KiB, "
        "max allowed: 18.72 GiB). Tried to allocate 512.00 MiB on shared pool.",
    ),
    "onnxruntime-memory": ("Failed to allocate memory for requested buffer of size 4194304000",),
    "host-memory": (
        "[12.1] Out of memory: Killed process 4242 (python) total-vm:1kB, anon-rss:2kB",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=1234.batch.",
        "Reason: OOMKilled",
    ),
    "killed": ("line 3: 12345 Killed                  python train.py", "exited with code 137"),
    "host-allocation": (
        "RuntimeError: [enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: can't allocate memory: "
        "you tried to allocate 85899345920 bytes. Error code 12 (Cannot allocate memory)",
        "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 74.5 GiB for an array with shape (1,)",
        "terminate called after throwing an instance of 'std::bad_alloc'",
    ),
    "shared-memory": (
        "RuntimeError: DataLoader worker (pid 42) is killed by signal: Bus error. It is possible that "
        "dataloader's workers are out of shared memory.",
    ),
    "open-files": ("OSError: [Errno 24] Too many open files: '/data/1.jpg'", "received 0 items of ancdata"),
    "disk-full": ("OSError: [Errno 28] No space left on device: '/tmp/model.bin'",),
    "device-assert": (
        "RuntimeError: CUDA error: device-side assert triggered",
        "../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss: block: [0,0,0], thread: [3,0,0] Assertion "
        "`t >= 0 && t < n_classes` failed.",
    ),
    "illegal-access": (
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "Memory access fault by GPU node-1 (Agent handle: 0x55) on address 0x7f.",
    ),
    "cublas": (
        "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
        "failed to create cublas handle: the library was not initialized",
    ),
    "cudnn-failed": (
        "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
        "UnknownError: Failed to get convolution algorithm. This is probably because cuDNN failed",
        "XlaRuntimeError: FAILED_PRECONDITION: DNN library initialization failed.",
    ),
    "no-kernel-image": (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
    ),
    "driver-too-old": (
        "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).",
        "CUDA driver version is insufficient for CUDA runtime version",
    ),
    "driver-mismatch": (
        "Failed to initialize NVML: Driver/library version mismatch",
        "Error 804: forward compatibility was attempted on non supported HW",
    ),
    "cuda-unavailable": (
        "RuntimeError: No CUDA GPUs are available",
        "OSError: libcuda.so.1: cannot open shared object file: No such file or directory",
    ),
    "cpu-build": ("AssertionError: Torch not compiled with CUDA enabled",),
    "cudnn-missing": ("Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8",),
    "cuda-library-missing": (
        "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory",
    ),
    "library-missing": ("ImportError: libsndfile.so.1: cannot open shared object file: No such file",),
    "graphics-library-missing": ("ImportError: libGL.so.1: cannot open shared object file: No such file",),
    "undefined-symbol": (
        "ImportError: /env/flash_attn_2_cuda.cpython-310.so: undefined symbol: _ZN3c104cuda9SetDeviceEi",
        "RuntimeError: operator torchvision::nms does not exist",
    ),
    "glibc": ("/lib/libm.so.6: version `GLIBC_2.29' not found (required by /env/libtorch.so)",),
    "numpy-2": ("A module that was compiled using NumPy 1.x cannot be run in NumPy 2.1.0",),
    "protobuf": ("TypeError: Descriptors cannot be created directly.",),
    "nccl-error": (
        "torch.distributed.DistBackendError: NCCL error: unhandled system error, NCCL version 2.20.5",
        "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000",
    ),
    "distributed-hang": (
        "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, "
        "NumelIn=1) ran for 1800000 milliseconds",
    ),
    "rendezvous": ("The client socket has failed to connect to any network address of (node1, 29500).",),
    "ddp-unused": (
        "RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one.",
    ),
    "not-a-number": (
        "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0",
        "{'loss': nan, 'grad_norm': nan}",
    ),
    "rocm-gfx": ("RuntimeError: HIP error: invalid device function",),
    "rocm-no-gpu": ("RuntimeError: No HIP GPUs are available",),
    "mps-operator": ("The operator 'aten::linalg_qr' is not currently implemented for the MPS device.",),
    "intel-gpu": ("RuntimeError: Native API failed. Native API returns: UR_RESULT_ERROR_DEVICE_LOST",),
    "ascend": ("ImportError: libascend_hal.so: cannot open shared object file: No such file or directory",),
    "tensorrt-engine": (
        "Error 1: Serialization (Serialization assertion stdVersionRead == kSERIALIZATION_VERSION failed."
        "Version tag does not match. Note: Current Version: 240, Serialized Engine Version: 239)",
    ),
    "cannot-be-installed-together": ("ERROR: ResolutionImpossible: for help visit https://pip.pypa.io",),
    "conda-cuda": ("nothing provides __cuda needed by pytorch-2.4",),
    "module-missing": ("ModuleNotFoundError: No module named 'flash_attn'",),
    "segmentation-fault": ("Segmentation fault (core dumped)",),
    "illegal-instruction": ("Illegal instruction (core dumped)",),
    "harmless": ("oneDNN custom operations are on. You may see slightly different numerical results",),
}


def explained(text: str, *ends: str, **facts: str) -> tuple[Explained, ...]:
    return explain(messages(text), ends, KNOWN, facts, "linux")


def messages(text: str) -> tuple[Message, ...]:
    return report_of([("log", text.encode())], WAYS).machine.report.messages


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in WILD.items() for text in texts], ids=str
)
def test_messages_of_the_wild(name: str, text: str) -> None:
    found = explained(f"step 12\n{text}\n")
    assert found[0].id == name
    assert not any(item.severity == "error" for item in found[1:])


def test_what_the_message_holds_is_filled_in() -> None:
    text = WILD["gpu-memory"][3]
    (found,) = explained(text)
    assert (
        found.causes[0].here == "It asked for 2.00 MiB more, of 7.80 GiB in all, of which 7.31 MiB were free."
    )


def test_what_nobody_knows_is_left_out() -> None:
    (found,) = explained("CUDA out of memory")
    assert found.here == ()
    assert all("{" not in item.here for item in found.causes)
    (found,) = explained("CUDA out of memory", **{"gpu.free": "1.0 GiB of 24.0 GiB on GPU 0"})
    assert found.here == ("Free now: 1.0 GiB of 24.0 GiB on GPU 0.",)


def test_what_enters_a_command_is_quoted() -> None:
    assert fill("find / -name {file}", {"file": "'lib; rm -rf'"}) == "find / -name 'lib; rm -rf'"
    (found,) = explained("OSError: lib+a.so: cannot open shared object file")
    assert "find / -xdev -name lib+a.so 2>/dev/null" in found.causes[1].look_commands


def test_a_fact_cannot_bring_another_one_in() -> None:
    (found,) = explained("CUDA out of memory", **{"gpu.memory": "{gpu.free}", "gpu.free": "all"})
    assert found.here[0] == "This machine has {gpu.free}."


def test_the_general_is_silent_beside_the_special() -> None:
    text = "ImportError: libcudart.so.12: cannot open shared object file"
    assert [item.id for item in explained(text)] == ["cuda-library-missing"]
    two = f"{text}\nOSError: libodd.so: cannot open shared object file\n"
    assert [item.id for item in explained(two)] == ["cuda-library-missing", "library-missing"]


def test_circumstances_explain_nothing() -> None:
    assert explained("import torch\nkubectl logs job\n") == ()


def test_notes_come_after_failures() -> None:
    text = "oneDNN custom operations are on\nCUDA out of memory\n"
    assert [item.id for item in explained(text)] == ["gpu-memory", "harmless"]


def test_the_end_of_a_program_comes_first() -> None:
    found = explained("CUDA out of memory", "oom-killed", "SIGKILL")
    assert [item.id for item in found] == ["host-memory", "gpu-memory"]
    found = explained("Killed\n", "SIGKILL")
    assert [item.id for item in found] == ["killed"]
    assert found[0].messages
    assert explained("", "SIGUSR1") == ()


def test_causes_of_other_systems_are_left_out() -> None:
    told = messages("OMP: Error #15: Initializing libiomp5md.dll, but found libomp.dll already initialized")
    for system, count in (("linux", 1), ("windows", 1), (UNKNOWN, 2)):
        (found,) = explain(told, (), KNOWN, {}, system)  # type: ignore[arg-type]
        assert len(found.causes) == count


def test_a_signature_that_nobody_explained_speaks_for_itself() -> None:
    own = Signature(id="site-odd", marks=("odd thing",), pattern="odd thing", means="It is odd.", source="x")
    known = replace(MESSAGES, signatures=(own,))
    told = report_of([("log", b"an odd thing")], Ways((), (Sought(own),))).machine.report.messages
    (found,) = explain(told, (), (KNOWN[0], known), {}, "linux")
    assert (found.id, found.meaning, found.severity) == ("site-odd", "It is odd.", "error")


def test_names() -> None:
    found = named("device-assert", KNOWN[0])
    assert found is not None
    assert found == named("index-assertion", KNOWN[0])
    assert named("imports-torch", KNOWN[0]) is None


WORDS = st.sampled_from([mark for row in MESSAGES.signatures for mark in row.marks])


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.one_of(WORDS, st.text(max_size=60), st.sampled_from(["\n", " ", "{", "}", "{gpu.free}"]))))
def test_any_text_is_answered_soon(parts: list[str]) -> None:
    began = time.monotonic()
    for item in explained("".join(parts)):
        assert item.title
        assert item.meaning
    assert time.monotonic() - began < 5
