"""What processes that share several GPUs need: shared memory, limits, and a test of NCCL."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.container_tools import words_of
from dlsetup.judge.evidence import of_framework
from dlsetup.model.note import NoteStep
from dlsetup.plan.notes.steps import ask, needed, optional, right
from dlsetup.plan.notes.subject import Subject, of_system

GIB = 1 << 30
_PROGRAM = (
    "import os, torch, torch.distributed as d; r = int(os.environ['LOCAL_RANK']); torch.cuda.set_device(r); "
    "d.init_process_group('nccl'); x = torch.ones(1, device='cuda'); d.all_reduce(x); print(r, x.item()); "
    "d.destroy_process_group()"
)


def process_steps(subject: Subject) -> Iterator[NoteStep]:
    """Memory that processes share, memory that is locked, a test."""
    yield _shared_memory(subject)
    yield _locked_memory()
    yield _test(subject)
    yield _more_words()


def _shared_memory(subject: Subject) -> NoteStep:
    size = subject.scene.machine.system.shm_bytes
    wanted = len(subject.nvidia) * GIB
    why = (
        "NCCL and the workers of data loaders hand data over through /dev/shm; where it is full they "
        "end with a bus error."
    )
    if not isinstance(size, int):
        return ask(
            "shm",
            "See the size of /dev/shm",
            f"{why} 1 GiB for each GPU is enough for most.",
            ("df -h /dev/shm",),
        )
    evidence = of_system("/dev/shm", f"{size / GIB:.1f} GiB")
    if size >= wanted:
        return right("shm", "/dev/shm is large enough for this number of GPUs", [evidence])
    if subject.scene.in_container:
        text = f"Start the container with {words_of(subject.scene).memory}"
        return needed(
            "shm",
            text,
            why,
            place="host",
            evidence=(evidence,),
            check=("df -h /dev/shm",),
            sign="16 GiB or more",
        )
    return needed(
        "shm",
        "Make /dev/shm larger",
        why,
        ("sudo mount -o remount,size=50% /dev/shm",),
        evidence=(evidence,),
        check=("df -h /dev/shm",),
        sign="half of the memory",
        undo_words="the next start of the machine takes it back; a line in /etc/fstab keeps it",
    )


def _locked_memory() -> NoteStep:
    why = (
        "NCCL locks memory for InfiniBand and for copies. `unlimited`, or millions, is well; for less write "
        "`* - memlock unlimited` into /etc/security/limits.d/memlock.conf and log in anew, or start the "
        "container with `--ulimit memlock=-1`."
    )
    return ask(
        "memlock",
        "See how much memory a process may lock",
        why,
        ("grep 'Max locked memory' /proc/self/limits",),
    )


def _test(subject: Subject) -> NoteStep:
    count, torch = len(subject.nvidia), subject.scene.framework("torch")
    if torch is None:
        return optional(
            "nccl-test",
            "Test NCCL with NVIDIA's own programs",
            "They measure the bandwidth between all GPUs; they have to be compiled (`dlsetup notes "
            "cuda-toolkit`).",
            (
                "git clone https://github.com/NVIDIA/nccl-tests",
                "make -C nccl-tests",
                f"NCCL_DEBUG=INFO nccl-tests/build/all_reduce_perf -b 8 -e 1G -f 2 -g {count}",
            ),
            check=("ls nccl-tests/build/all_reduce_perf",),
            sign="no error, and 0 in the column `#wrong`",
            undo=("rm -rf nccl-tests",),
        )
    return needed(
        "nccl-test",
        "Test NCCL with torch as it is installed",
        "Each process adds 1 over all GPUs; NCCL tells over which way it goes (NVLink: `via "
        "P2P/CUMEM`, memory: `via SHM`).",
        (f'NCCL_DEBUG=INFO torchrun --no-python --nproc-per-node={count} python -c "{_PROGRAM}"',),
        evidence=(of_framework(torch),),
        sign=f"{count} lines that end in {float(count)}",
    )


def _more_words() -> NoteStep:
    return optional(
        "nccl-settings",
        "Narrow a failure down with settings of NCCL, one at a time",
        "Each takes one way out of use: what helps names the cause. None of them is for lasting use.",
        (
            "export NCCL_DEBUG=INFO",
            "export NCCL_P2P_DISABLE=1",
            "export NCCL_SHM_DISABLE=1",
            "export NCCL_IB_DISABLE=1",
        ),
        place="shell",
        only_if="the test hangs or ends with an error",
        undo=("unset NCCL_DEBUG NCCL_P2P_DISABLE NCCL_SHM_DISABLE NCCL_IB_DISABLE",),
    )
