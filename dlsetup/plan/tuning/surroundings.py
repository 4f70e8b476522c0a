"""Advice that needs no measuring: the machine's own facts settle it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dlsetup.model.links import Link
from dlsetup.model.record import Unknown
from dlsetup.model.tuning import Advice, Surroundings
from dlsetup.plan.tuning.batches import mebibytes
from dlsetup.plan.tuning.computing import threads_name

SMALL = 64 << 20
"""What a container has of /dev/shm unless it is told otherwise."""
FAR = ("SYS", "NODE", "PHB")
"""Links through the processors, the slowest first."""


def surrounding_advice(here: Surroundings, *, in_shared_memory: int | Unknown) -> Iterator[Advice]:
    """Shared memory, processors, links between GPUs.

    `in_shared_memory`: bytes of batches that wait there; unknown where nobody measured workers.
    """
    yield from _shared_memory(here, in_shared_memory)
    yield from _quota(here)
    yield from _nodes(here)
    if not isinstance(here.gpus, Unknown) and here.gpus > 1:
        yield from _links(here)
        yield from _iommu(here)


def _shared_memory(here: Surroundings, in_it: int | Unknown) -> Iterator[Advice]:
    """Workers hand batches over in /dev/shm. Without workers it is of no concern."""
    room = here.shm_bytes
    if room is None or isinstance(room, Unknown):
        return
    needed = 0 if isinstance(in_it, Unknown) else in_it
    small = room <= SMALL if isinstance(in_it, Unknown) else room < needed * 2
    if not small:
        return
    wanted = max(1, -(-needed * 4 >> 30))
    inside = here.container is not None and not isinstance(here.container, Unknown)
    own = f"sudo mount -o remount,size={wanted}G /dev/shm"
    ways = (f"docker run --shm-size={wanted}g …",) if inside else (own,)
    use = f"the workers keep up to {mebibytes(needed)} of batches there"
    use = use if needed else "workers of a DataLoader hand their batches over there"
    yield Advice(
        setting="shared-memory",
        standing="change",
        value=f"{wanted} GiB",
        because=f"/dev/shm has {mebibytes(room)}, and {use}",
        how=ways,
        sources=("torch-multiprocessing",),
    )


def _quota(here: Surroundings) -> Iterator[Advice]:
    """Frameworks count processors, not the time of them that a control group grants."""
    cpu = here.cpu
    if isinstance(cpu.usable, Unknown) or isinstance(cpu.quota, Unknown) or cpu.quota is None:
        return
    if cpu.quota >= cpu.usable:
        return
    threads = max(1, int(cpu.quota))
    yield Advice(
        setting="cpu-quota",
        standing="change",
        value=threads_name(threads),
        because=f"the control group grants the time of {cpu.quota:g} processors of {cpu.usable} that are "
        "seen: more threads are stopped until the next period",
        how=(f"export OMP_NUM_THREADS={threads}",),
    )


def _nodes(here: Surroundings) -> Iterator[Advice]:
    """One process for a GPU stays on the node that the GPU hangs on."""
    nodes = here.cpu.nodes
    if isinstance(nodes, Unknown) or len(nodes) < 2:
        return
    near = [(number, node) for number, node in enumerate(here.gpu_nodes) if 0 <= node < len(nodes)]
    if not near:
        return
    told = ", ".join(f"GPU {number} on node {node}" for number, node in near)
    number, node = near[0]
    yield Advice(
        setting="affinity",
        standing="change",
        value=f"GPU {number}: processors {nodes[node]}",
        because=f"this machine has {len(nodes)} NUMA nodes; {told}: memory of another node is farther away",
        how=tuple(
            f"CUDA_VISIBLE_DEVICES={number} numactl --cpunodebind={node} --membind={node} python train.py"
            for number, node in near
        ),
    )


def _links(here: Surroundings) -> Iterator[Advice]:
    """How the GPUs are joined, for whoever trains on several."""
    links = here.links
    if isinstance(links, Unknown):
        yield Advice(
            setting="links",
            standing="open",
            value="",
            because=f"{here.gpus} GPUs are here, and nobody says how they are joined",
            how=("nvidia-smi topo -m",),
        )
        return
    if not links:
        return
    slow = [link for kind in FAR for link in links if link.kind == kind]
    if not slow:
        because = f"all pairs are joined by {_kinds(links)}: NCCL uses direct traffic by itself"
        yield Advice(setting="links", standing="keep", value=_kinds(links), because=because)
        return
    near = [link for link in links if link.kind not in FAR]
    pair = f"; GPUs {near[0].first} and {near[0].second} are joined by {near[0].kind}" if near else ""
    yield Advice(
        setting="links",
        standing="keep",
        value=_kinds(links),
        because=f"GPUs {slow[0].first} and {slow[0].second} reach each other through the processors "
        f"({slow[0].kind}){pair}: two that are near serve one training better",
        how=(f"export CUDA_VISIBLE_DEVICES={near[0].first},{near[0].second}",) if near else (),
    )


def _kinds(links: Iterable[Link]) -> str:
    return ", ".join(sorted({link.kind for link in links}))


def _iommu(here: Surroundings) -> Iterator[Advice]:
    """Only a setting that is seen is spoken of: without it, nothing is known to be wrong."""
    if not isinstance(here.iommu, str):
        return
    yield Advice(
        setting="p2p",
        standing="open",
        value="",
        because=f"the kernel was started with `{here.iommu}`: the IOMMU may redirect direct traffic between "
        "GPUs. Where a training on several GPUs hangs, this is the first to look at",
        how=("export NCCL_DEBUG=INFO", "export NCCL_P2P_DISABLE=1"),
        sources=("nccl-acs",),
    )
