"""The CUDA libraries that programs fight over, by the names of their files and of their symbols."""

from __future__ import annotations

import re

FORMS = {
    "cudart": "cudart",
    "cublas": "cublas",
    "cublaslt": "cublasLt",
    "cudnn": "cudnn",
    "cufft": "cufft",
    "curand": "curand",
    "cusolver": "cusolver",
    "cusparse": "cusparse",
    "cusparselt": "cusparseLt",
    "nvjitlink": "nvJitLink",
    "nvrtc": "nvrtc",
    "nccl": "nccl",
    "nvshmem": "nvshmem_host",
    "cupti": "cupti",
    "cufile": "cufile",
    "tensorrt": "nvinfer",
}
"""What stands between `lib` and `.so`, as a pattern, by the word for the library."""
PARTS = {
    "cudnn": "cudnn_[a-z_]+",
    "nvrtc": "nvrtc-builtins",
    "tensorrt": "nvinfer_(?:plugin|lean|dispatch)|nvonnxparser",
}
"""Files that a library is shipped in beside its own, in the same form."""
BEGINNINGS = {
    "cublaslt": "cublasLt",
    "cudart": "cuda",
    "cusparselt": "cusparseLt",
    "nvjitlink": "__nvJitLink",
    "tensorrt": "createInfer",
}
"""How its public functions begin, where that is not its word."""


def library_of(name: str) -> str:
    """`libcudnn_ops.so.9` is of `cudnn`, `libcudart-d0da41ae.so.11.0` of `cudart`; empty for other files."""
    found = re.fullmatch(r"lib([A-Za-z_-]+?)(?:-[0-9a-f]{8})?\.so(?:\.\d+)*", name)
    return word_of(found[1]) if found else ""


def word_of(stem: str) -> str:
    """The word for a library by what its files are called: `nvJitLink` is `nvjitlink`."""
    forms = (*FORMS.items(), *PARTS.items())
    return next((word for word, form in forms if re.fullmatch(form, stem)), "")


def symbols_begin(library: str) -> str:
    """The beginning that its public functions share."""
    return BEGINNINGS.get(library, library)
