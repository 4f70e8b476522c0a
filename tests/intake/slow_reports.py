"""Reports of any size in which one kind of line stands again and again: what reading could be slow at.

In a line `{n}` counts, `{p}` is the number before it, and `{m}` counts round to 97.
"""

from __future__ import annotations

_IMAGE = "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\n"
_SMI = (
    "| NVIDIA-SMI 535.129.03   Driver Version: 535.129.03   CUDA Version: 12.2     |\n"
    "|   0  Tesla T4            Off  | 00000000:00:1E.0 Off |                    0 |\n"
)
_LIST = "Package    Version\n---------- -------\ntorch 2.1.0\nnvidia-cudnn-cu12 8.9.2.26\n"
_WISHES = "torch=={n}.{m} torchvision<{n} jax[cuda12] onnxruntime-gpu tensorflow>{m} flash-attn"
KINDS: dict[str, tuple[str, str]] = {
    "commands": ("", f"$ pip install {_WISHES}\n"),
    "commands of conda": ("", "conda install pytorch=={n} cudatoolkit=11.3 -c pytorch\n"),
    "commands on one line": ("", "pip install torch; " * 200 + "\n"),
    "commands in a command": ("", "pip install \\\n  torch=={n} 'x' \\\n"),
    "one RUN": (_IMAGE, "RUN pip install torch\n"),
    "RUN": (_IMAGE, f"RUN pip install {_WISHES}\n"),
    "RUN under a driver": (_SMI + _IMAGE, "RUN pip install torch<{n}.{m} jax>{n} tensorflow>{m}\n"),
    "RUN on one line": (_IMAGE, "RUN " + "".join(f"pip install a{k} torch; " for k in range(170)) + "\n"),
    "RUN that goes on": (_IMAGE, "RUN pip install \\\n  torch=={n} \\\n"),
    "RUN with a text": (_IMAGE, "RUN <<EOF\npip install torch=={n}\nEOF\n"),
    "ENV": (_IMAGE, "ENV A{n}=x\n"),
    "ENV that grows": (_IMAGE + "ENV A=xxxxxxxx\n", "ENV A=$A$A$A$A$A$A$A$A\n"),
    "ARG": (_IMAGE, "ARG A{n}=x\nENV B{n}=$A{n}\n"),
    "stages on one another": (_IMAGE.strip() + " AS b0\n", "FROM b{p} AS b{n}\nENV X{n}=1\n"),
    "stages on one": (_IMAGE.strip() + " AS b\n" + "RUN pip install torch jax\n" * 99, "FROM b AS c{n}\n"),
    "images": ("", f"FROM nvidia/cuda:12.{{m}}.1-runtime-ubuntu22.04\nRUN pip install {_WISHES}\n"),
    "services": ("services:\n", "  s{n}:\n    image: nvidia/cuda:12.{m}.0-base\n    runtime: nvidia\n"),
    "pods": (
        "kind: Pod\nspec:\n",
        "  - name: c{n}\n    image: a:{m}\n    limits:\n      nvidia.com/gpu: {m}\n",
    ),
    "docker run": ("", "docker run --gpus all --shm-size {n}m nvidia/cuda:12.{m}.0-base nvidia-smi\n"),
    "rows of pip": (_LIST, "pkg{n}    1.{n}.{m}\n"),
    "rows of NVIDIA": (_LIST, "nvidia-x{n}-cu12     1.{n}.{m}\n"),
    "pip freeze": ("", "pkg{n}==1.{n}.{m}\n"),
    "rows of conda": ("# Name    Version   Build  Channel\n", "pkg{n}    1.{n}.{m}    py310_0   main\n"),
    "rows of collect_env": (
        "PyTorch version: 2.1.0\n",
        "[pip3] pkg{n}==1.{m}\n[conda] torch 1.{n} py pypi\n",
    ),
    "environment.yml": ("name: x\ndependencies:\n  - python=3.9\n", "  - pkg{n}=1.{m}\n"),
    "locks of conda": (
        "@EXPLICIT\n",
        "https://conda.anaconda.org/conda-forge/linux-64/p{n}-1.{m}-h0_0.conda\n",
    ),
    "trees": ("x v0.1\n", "├── pkg{n} v1.{m}\n│   └── torch v2.{n}\n"),
    "conflicts": ("", "f{n} 1.0 requires torch=={n}.0, but you have torch 2.{m}.0 which is incompatible.\n"),
    "nvidia-smi": ("", _SMI),
    "GPUs": (_SMI + _LIST, "GPU {m}: NVIDIA GeForce RTX {n} (UUID: GPU-{n})\n"),
    "packages of the system": ("", "ii  libnvidia-compute-{m}   535.{n}.0-0ubuntu1 amd64  NVIDIA libs\n"),
    "libraries": ("", "/usr/lib/a{n}/libcudnn.so.8.{m}.1\n"),
    "toolkits": ("", "Cuda compilation tools, release 12.{m}, V12.{m}.{n}\n"),
    "variables": ("", "export LD_LIBRARY_PATH=/a{n}:/b\nCUDA_VISIBLE_DEVICES={n} python x.py\n"),
    "answers": ("", ">>> torch.__version__\n'2.{m}.{n}'\n>>> torch.cuda.is_available()\nFalse\n"),
    "tracebacks": ("", 'Traceback:\n  File "/v{n}/lib/python3.10/site-packages/a.py", line {n}, in f\n'),
    "errors": ("", "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"),
    "Xid": ("", "[ 12.3] NVRM: Xid (PCI:0000:{m}:00): {n}, pid=1\n"),
    "JSON": ("[\n", '{"name": "pkg{n}", "version": "1.{m}"},\n'),
}


def slow_report(kind: str, size: int) -> str:
    """The report of a kind that is at least that long, and hardly longer."""
    head, line = KINDS[kind]
    parts, length = [head], len(head)
    while length < size:
        number = len(parts)
        parts.append(line.replace("{n}", f"{number}").replace("{p}", f"{number - 1}"))
        parts[-1] = parts[-1].replace("{m}", f"{number % 97}")
        length += len(parts[-1])
    return "".join(parts)
