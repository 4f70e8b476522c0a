"""PyTorch: two processes average their gradients (NCCL on GPUs, else gloo)."""

from __future__ import annotations

import datetime
import importlib
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

PROCESSES = 2
SECONDS = 100
HOME = "127.0.0.1"


def prove() -> dict[str, Any]:
    torch = importlib.import_module("torch")
    shared = importlib.import_module("on_torch")
    if not torch.distributed.is_available():
        return {"untried": "this build has no torch.distributed"}
    gpus = torch.cuda.device_count()
    backend = "nccl" if gpus >= PROCESSES and torch.distributed.is_nccl_available() else "gloo"
    with tempfile.TemporaryDirectory(prefix="dlsetup-ddp-") as folder:
        meeting = f"file://{folder}/meeting"
        argv = [sys.executable, "-I", __file__, backend, meeting]
        ranks = [
            subprocess.Popen([*argv, str(rank)], stdout=subprocess.PIPE, text=True)
            for rank in range(PROCESSES)
        ]
        try:
            said = [rank.communicate(timeout=SECONDS)[0] for rank in ranks]
        finally:
            for rank in ranks:
                rank.kill()
    if any(rank.returncode for rank in ranks):
        raise RuntimeError(f"exit codes {[rank.returncode for rank in ranks]} of the two processes")
    means = [json.loads(text.splitlines()[-1]) for text in said]
    if means[0] != means[1]:
        raise AssertionError(f"the processes have different gradients: {means}")
    told = shared.told(torch, f"{PROCESSES} processes by {backend}", f"the same gradients: {means[0]}")
    return {**told, "device": "cuda" if backend == "nccl" else "cpu"}


def take_part(backend: str, meeting: str, rank: int) -> None:
    """One of the processes: each has other data, and all end with the same gradients."""
    torch = importlib.import_module("torch")
    # A machine may have no network, or a name that leads nowhere: the two meet at home.
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo" if sys.platform == "linux" else "lo0")
    torch.distributed.init_process_group(
        backend,
        init_method=meeting,
        rank=rank,
        world_size=PROCESSES,
        timeout=datetime.timedelta(seconds=SECONDS),
    )
    where = torch.device("cuda", rank) if backend == "nccl" else torch.device("cpu")
    torch.manual_seed(1)
    network = torch.nn.Linear(4, 1).to(where)
    parallel = torch.nn.parallel.DistributedDataParallel(
        network, device_ids=[rank] if backend == "nccl" else None
    )
    inputs = torch.full((8, 4), float(rank + 1), device=where)
    parallel(inputs).mean().backward()
    gradients = [round(value, 4) for value in network.weight.grad.flatten().tolist()]
    wanted = [(PROCESSES + 1) / 2] * 4
    if gradients != wanted:
        raise AssertionError(f"the gradient is {gradients}, and the mean of both is {wanted}")
    print(json.dumps(gradients), flush=True)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    take_part(sys.argv[1], sys.argv[2], int(sys.argv[3]))
