"""Files that ask for images and packages: for each finding one that trips it, and a near miss."""

from __future__ import annotations

SMI = """+---------------------------------------------------------------------------------------+
| NVIDIA-SMI {driver}             Driver Version: {driver}   CUDA Version: {cuda}     |
|-----------------------------------------+----------------------+----------------------+
|   0  {gpu:<26}    Off | 00000000:01:00.0 Off |                  N/A |
| 30%   35C    P8              20W / 350W |     12MiB / 24576MiB |      0%      Default |
+-----------------------------------------+----------------------+----------------------+
"""
OLD = SMI.format(driver="535.183.01", cuda="12.2", gpu="NVIDIA GeForce RTX 3090")
NEW = SMI.format(driver="580.95.05", cuda="13.0", gpu="NVIDIA GeForce RTX 3090")
VOLTA = SMI.format(driver="580.95.05", cuda="13.0", gpu="Tesla V100-SXM2-16GB")
WHEELS = "https://download.pytorch.org/whl"
CUDA12 = "nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04"
CUDA11 = "nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04"
RESERVED = """
    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: all, capabilities: [gpu]}]}}}
"""
LLM = """services:
  llm:
    image: vllm/vllm-openai:v0.11.0
    command: --model Qwen/Qwen2.5-7B-Instruct
"""
TRAIN = f"""services:
  train:
    image: lab/train
    command: torchrun --nproc_per_node=2 train.py{RESERVED}"""
BUILT = "services:\n  app:\n    build: .\n"


def dockerfile(image: str, *runs: str, end: str = "") -> dict[str, str]:
    lines = [f"FROM {image}", *(f"RUN {run}" for run in runs), end]
    return {"Dockerfile": "\n".join(lines) + "\n"}


def pip(words: str, index: str = "") -> str:
    return f"pip install {words}" + (f" --index-url {WHEELS}/{index}" if index else "")


Files = dict[str, str]
WRITTEN: dict[str, tuple[str, str, Files, Files]] = {
    "removed": (
        "base-image-tag-removed",
        "error",
        dockerfile("nvidia/cuda:11.4.2-devel-ubuntu20.04"),
        dockerfile("nvidia/cuda:11.4.3-devel-ubuntu20.04"),
    ),
    "never": (
        "base-image-tag-removed",
        "error",
        {"compose.yaml": "services:\n  a:\n    image: nvidia/cuda:12.4.1-cudnn8-devel-ubuntu22.04\n"},
        {"compose.yaml": "services:\n  a:\n    image: nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04\n"},
    ),
    "not listed": (
        "base-image-tag-removed",
        "warning",
        dockerfile("nvidia/cuda:12.1.0-runtime-ubuntu24.04"),
        dockerfile("nvidia/cuda:12.1.0-runtime-ubuntu22.04"),
    ),
    "image and driver": (
        "container-cuda-requirement-unsatisfied",
        "error",
        dockerfile("nvidia/cuda:12.8.1-runtime-ubuntu24.04") | {"smi.txt": OLD},
        dockerfile("nvidia/cuda:12.8.1-runtime-ubuntu24.04") | {"smi.txt": NEW},
    ),
    "wheel and driver": (
        "driver-too-old",
        "error",
        dockerfile("python:3.12-slim", pip("torch==2.9.1", "cu130")) | {"smi.txt": OLD},
        dockerfile("python:3.12-slim", pip("torch==2.9.1", "cu128")) | {"smi.txt": OLD},
    ),
    "framework's image and driver": (
        "driver-too-old",
        "error",
        dockerfile("pytorch/pytorch:2.9.1-cuda13.0-cudnn9-runtime") | {"smi.txt": OLD},
        dockerfile("pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime") | {"smi.txt": OLD},
    ),
    "no bound and driver": (
        "unpinned-torch",
        "warning",
        dockerfile("python:3.12-slim", pip("torch")) | {"smi.txt": OLD},
        dockerfile("python:3.12-slim", pip("torch")),
    ),
    "wheel and GPU": (
        "gpu-arch-not-in-wheel",
        "error",
        dockerfile("python:3.12-slim", pip("torch==2.9.1", "cu130")) | {"smi.txt": VOLTA},
        dockerfile("python:3.12-slim", pip("torch==2.9.1", "cu126")) | {"smi.txt": VOLTA},
    ),
    "no bound and image": (
        "unpinned-torch",
        "warning",
        dockerfile(CUDA12, pip("torch")),
        dockerfile(CUDA12, pip("torch", "cu124")),
    ),
    "no bound and an index beside": (
        "unpinned-torch",
        "warning",
        dockerfile(CUDA12, f"pip install torch --extra-index-url {WHEELS}/cu121"),
        dockerfile(CUDA12, f"pip install torch==2.4.1 --extra-index-url {WHEELS}/cu121"),
    ),
    "Python": (
        "python-too-new-for-wheel",
        "error",
        dockerfile("python:3.13-slim", pip("torch==2.3.1")),
        dockerfile("python:3.12-slim", pip("torch==2.3.1")),
    ),
    "Python of uv": (
        "python-too-new-for-wheel",
        "error",
        dockerfile("python:3.13", pip("--no-cache-dir tensorflow==2.15.1")),
        dockerfile("python:3.13", "uv venv --python 3.11 && " + pip("tensorflow==2.15.1")),
    ),
    "musl": (
        "python-too-new-for-wheel",
        "error",
        dockerfile("python:3.12-alpine", pip("torch")),
        dockerfile("python:3.12-slim", pip("torch")),
    ),
    "processor": (
        "python-too-new-for-wheel",
        "error",
        dockerfile("--platform=linux/arm64 python:3.11-slim", pip("onnxruntime-gpu==1.18.1")),
        dockerfile("--platform=linux/amd64 python:3.11-slim", pip("onnxruntime-gpu==1.18.1")),
    ),
    "C library": (
        "python-too-new-for-wheel",
        "error",
        dockerfile("ubuntu:18.04", pip("torch==2.7.0")),
        dockerfile("ubuntu:18.04", pip("torch==2.3.0")),
    ),
    "file of requirements": (
        "python-too-new-for-wheel",
        "error",
        dockerfile("python:3.13-slim", "pip install -r /app/requirements.txt")
        | {"requirements.txt": "torch==2.3.1\nfastapi>=0.1\n"},
        dockerfile("python:3.13-slim", "pip install -r /app/requirements.txt")
        | {"other.txt": "torch==2.3.1\nfastapi>=0.1\n"},
    ),
    "TensorFlow": (
        "tensorflow-wants-other-cuda-version",
        "error",
        dockerfile(CUDA11, pip("tensorflow==2.16.1")),
        dockerfile(CUDA11, pip("'tensorflow[and-cuda]==2.16.1'")),
    ),
    "ONNX Runtime": (
        "onnxruntime-gpu-cuda-version",
        "error",
        dockerfile(CUDA12, pip("onnxruntime-gpu==1.16.3")),
        dockerfile(CUDA11, pip("onnxruntime-gpu==1.16.3")),
    ),
    "libraries that a RUN brings": (
        "onnxruntime-gpu-cuda-version",
        "error",
        dockerfile(CUDA12, "apt-get install -y python3-pip", pip("onnxruntime-gpu==1.16.3")),
        dockerfile(CUDA12, "apt-get install -y cuda-libraries-11-8", pip("onnxruntime-gpu==1.16.3")),
    ),
    "CuPy": (
        "mixed-cuda-majors",
        "error",
        dockerfile("nvidia/cuda:12.2.2-devel-ubuntu22.04", pip("cupy-cuda11x==13.3.0")),
        dockerfile("nvidia/cuda:12.2.2-devel-ubuntu22.04", pip("cupy-cuda12x==13.3.0")),
    ),
    "nvcc": (
        "cuda-toolkit-missing-for-build",
        "error",
        dockerfile("nvidia/cuda:12.6.3-runtime-ubuntu24.04", "make deps && nvcc -o /a a.cu"),
        dockerfile("nvidia/cuda:12.6.3-devel-ubuntu24.04", "make deps && nvcc -o /a a.cu"),
    ),
    "nvcc that a RUN brings": (
        "cuda-toolkit-missing-for-build",
        "error",
        dockerfile("python:3.12", "CMAKE_ARGS=-DGGML_CUDA=on pip install llama-cpp-python"),
        dockerfile(
            "python:3.12",
            "apt-get install -y cuda-toolkit-12-4",
            "CMAKE_ARGS=-DGGML_CUDA=on pip install llama-cpp-python",
        ),
    ),
    "source": (
        "cuda-toolkit-missing-for-build",
        "warning",
        dockerfile("pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime", pip("flash-attn --no-build-isolation")),
        dockerfile("pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel", pip("flash-attn --no-build-isolation")),
    ),
    "CPU index": (
        "cpu-only-torch",
        "error",
        dockerfile(CUDA12, pip("torch==2.4.0", "cpu")),
        dockerfile("python:3.12-slim", pip("torch==2.4.0", "cpu")),
    ),
    "CPU index of a service with GPUs": (
        "cpu-only-torch",
        "error",
        dockerfile("python:3.12-slim", pip("torch==2.4.0", "cpu")) | {"compose.yaml": f"{BUILT}{RESERVED}"},
        dockerfile("python:3.12-slim", pip("torch==2.4.0", "cpu")) | {"compose.yaml": BUILT},
    ),
    "JAX without its extra": (
        "cpu-only-jax",
        "warning",
        dockerfile(CUDA12, pip("jax")),
        dockerfile(CUDA12, pip("'jax[cuda12]'")),
    ),
    "follower": (
        "dependency-replaced-torch",
        "error",
        dockerfile("python:3.11-slim", pip("torch==2.4.1", "cu121"), pip("torchvision")),
        dockerfile("python:3.11-slim", pip("torch==2.4.1", "cu121"), pip("torchvision==0.19.1", "cu121")),
    ),
    "pin of a file": (
        "dependency-replaced-torch",
        "error",
        dockerfile("python:3.11-slim", pip("torch==2.5.1", "cu124"), "pip install -r requirements.txt")
        | {"requirements.txt": "transformers>=4.40\ntorch==2.3.0\n"},
        dockerfile("python:3.11-slim", pip("torch==2.5.1", "cu124"), "pip install -r requirements.txt")
        | {"requirements.txt": "transformers>=4.40\ntorch>=2.3.0\n"},
    ),
    "both": (
        "onnxruntime-cpu-and-gpu-both",
        "warning",
        dockerfile(CUDA11, pip("onnxruntime onnxruntime-gpu==1.17.1")),
        dockerfile(CUDA11, pip("onnxruntime-gpu==1.17.1")),
    ),
    "ended": (
        "package-ended",
        "error",
        dockerfile("python:3.10", pip("tensorflow-gpu")),
        dockerfile("python:3.8", pip("tensorflow-gpu==2.8.0")),
    ),
    "service": ("container-without-gpu", "warning", {"c.yaml": LLM}, {"c.yaml": LLM.rstrip() + RESERVED}),
    "service of a CUDA image": (
        "container-without-gpu",
        "warning",
        dockerfile(CUDA12, end='CMD ["./serve"]') | {"compose.yaml": BUILT},
        dockerfile(CUDA12, end='CMD ["./serve", "--device", "cpu"]') | {"compose.yaml": BUILT},
    ),
    "pod": (
        "container-without-gpu",
        "warning",
        {"p.yaml": "kind: Pod\nspec:\n  containers:\n  - name: a\n    image: vllm/vllm-openai:v0.11.0\n"},
        {"p.yaml": "kind: Pod\nspec:\n  containers:\n  - name: a\n    image: vllm/vllm-openai-cpu:v0.11.0\n"},
    ),
    "memory": ("shm-too-small", "note", {"c.yaml": TRAIN}, {"c.yaml": TRAIN + "    shm_size: 8gb\n"}),
    "memory of a command": (
        "shm-too-small",
        "note",
        {"run.sh": "docker run --gpus all --rm -v $PWD:/w lab/train python train.py --num-workers 8\n"},
        {"run.sh": "docker run --gpus all --rm -v $PWD:/w lab/serve python serve.py\n"},
    ),
}
"""By a name: the finding and its severity, files that trip it, and files that come near and do not."""

HEALTHY: dict[str, Files] = {
    "pytorch/pytorch": dockerfile(
        "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", pip("transformers accelerate")
    ),
    "nvidia/cuda and its index": dockerfile(
        "nvidia/cuda:12.6.3-cudnn-runtime-ubuntu24.04", pip("torch torchvision", "cu126")
    ),
    "slim and torch": dockerfile("python:3.12-slim", pip("torch")),
    "tensorflow/tensorflow": dockerfile("tensorflow/tensorflow:2.19.0-gpu", pip("keras-cv")),
    "TensorFlow on its CUDA": dockerfile(
        "nvidia/cuda:12.2.2-cudnn8-runtime-ubuntu22.04", pip("tensorflow==2.15.1")
    ),
    "an index that variables name": dockerfile(
        CUDA12, "echo", end=f"ENV PIP_INDEX_URL={WHEELS}/cu124\nRUN pip install torch"
    ),
    "a release that an argument names": dockerfile(CUDA12, pip("torch==${TORCH}", "${CU}")),
    "a CUDA image of which nobody sees what goes in": dockerfile(CUDA12, "uv sync --frozen")
    | {"compose.yaml": BUILT},
    "two environments": dockerfile(
        "python:3.11-slim", "/a/bin/" + pip("torch==2.4.1", "cu121"), "/b/bin/" + pip("torch==2.3.0")
    ),
    "one that is removed first": dockerfile(
        CUDA11, pip("rembg onnxruntime"), "pip uninstall -y onnxruntime", pip("onnxruntime-gpu==1.17.1")
    ),
    "a comment": dockerfile("python:3.12-slim", end="# RUN pip install tensorflow-gpu"),
    "services that share an image": {
        "c.yaml": f"{LLM.rstrip()}{RESERVED}  other:\n    image: vllm/vllm-openai:v0.11.0\n    command: x\n"
    },
    "a file laid over another": {
        "compose.yaml": LLM,
        "compose.gpu.yaml": f"services:\n  llm:{RESERVED}",
    },
    "torch by conda": dockerfile(
        "continuumio/miniconda3", "conda install -y pytorch==2.5.1 pytorch-cuda=12.4 -c pytorch -c nvidia"
    ),
    "a build stage": dockerfile(
        "nvidia/cuda:12.4.1-devel-ubuntu22.04 AS build",
        "nvcc -o /a a.cu",
        end="FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nCOPY --from=build /a /a",
    ),
    "a toolkit that is copied": dockerfile(
        "python:3.12",
        end="COPY --from=nvidia/cuda:12.4.1-devel-ubuntu22.04 /usr/local/cuda /opt/cuda\nRUN nvcc -o /a a.cu",
    ),
}
