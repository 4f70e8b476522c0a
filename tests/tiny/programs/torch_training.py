"""What a training needs of the tiny torch. It computes nothing: it sleeps as long as a device would take.

A sample takes a mebibyte of the GPU; TINY_GPU_MIB is how many it has, of which TINY_GPU_TAKEN are in use.
TINY_END_AT: the batch at which the process is killed, or TINY_END_BY raised.
"""

import contextlib
import os
import signal
import sys
import time
import types

MIB = 1 << 20
PER_SAMPLE, PER_STEP = 2e-5, 4e-4
bfloat16, float16, channels_last = "torch.bfloat16", "torch.float16", "channels_last"
state = {
    "dtype": None,
    "layout": False,
    "compiled": False,
    "threads": 4,
    "held": 0,
    "peak": 0,
    "fraction": 1.0,
}


def _total():
    return int(os.environ.get("TINY_GPU_MIB", "4096")) * MIB


def _free():
    return _total() - int(os.environ.get("TINY_GPU_TAKEN", "0")) * MIB


class Batch:
    def __init__(self, size, *shape, whole=False):
        self.size, self.ndim, self.whole, self.device = size, 1 + len(shape), whole, "cpu"

    def to(self, where="cpu", memory_format=None, non_blocking=False):
        if memory_format:
            state["layout"] = True
        self.device = where
        return self

    def is_floating_point(self):
        return not self.whole

    def pin_memory(self):
        return self

    def float(self):
        return self


class Loss:
    def __init__(self, size):
        self.size = size

    def backward(self):
        pass


class Network:
    def __init__(self, *parts):
        self.parts, self.layout, self.compiled = parts, False, False

    def to(self, where="cpu", memory_format=None):
        self.layout = self.layout or bool(memory_format)
        return self

    def train(self):
        return self

    def parameters(self):
        return []

    def __call__(self, batch):
        if str(batch.size) == os.environ.get("TINY_END_AT"):
            if os.environ.get("TINY_END_BY"):
                raise RuntimeError(os.environ["TINY_END_BY"])
            os.kill(os.getpid(), signal.SIGKILL)
        if batch.device == "cuda":
            needed = batch.size * MIB
            if needed > min(_free(), state["fraction"] * _total()):
                state["held"] = needed // 2
                raise RuntimeError("CUDA out of memory. Tried to allocate much.")
            state["peak"] = max(state["peak"], needed)
        factor = 0.5 if state["dtype"] == bfloat16 else 1.0
        factor *= 0.5 if self.compiled else 1.0
        factor *= 1.0 if batch.device == "cuda" else 1.0 + abs(state["threads"] - 2)
        time.sleep((PER_STEP + PER_SAMPLE * batch.size) * factor)
        return batch


def _layer(*args, **more):
    return None


nn = types.SimpleNamespace(
    Sequential=Network,
    functional=types.SimpleNamespace(
        cross_entropy=lambda outputs, targets: Loss(outputs.size),
        mse_loss=lambda outputs, targets: Loss(outputs.size),
    ),
    **dict.fromkeys(
        ("Conv2d", "BatchNorm2d", "ReLU", "AdaptiveAvgPool2d", "Flatten", "Linear", "ConvTranspose2d"), _layer
    ),
)
_optimizer = types.SimpleNamespace(zero_grad=lambda set_to_none: None, step=lambda: None)
optim = types.SimpleNamespace(SGD=lambda parameters, lr, momentum: _optimizer)
amp = types.SimpleNamespace(
    GradScaler=lambda device: types.SimpleNamespace(
        scale=lambda loss: loss, step=lambda optimizer: None, update=lambda: None
    )
)


@contextlib.contextmanager
def autocast(device_type, dtype):
    state["dtype"] = dtype
    yield
    state["dtype"] = None


def randn(size, *shape):
    return Batch(size, *shape)


def randint(low, high, shape):
    return Batch(*shape, whole=True)


def compile(network):  # noqa: A001
    made = Network()
    made.compiled = True
    return made


def manual_seed(number):
    pass


def get_num_threads():
    return state["threads"]


def set_num_threads(count):
    state["threads"] = count


class _OfCuda:
    mem_get_info = staticmethod(lambda: (_free(), _total()))
    set_per_process_memory_fraction = staticmethod(lambda share: state.update(fraction=share))
    reset_peak_memory_stats = staticmethod(lambda: state.update(peak=0))
    max_memory_allocated = staticmethod(lambda: state["peak"])
    memory_reserved = staticmethod(lambda: state["held"])
    memory_allocated = staticmethod(lambda: 0)
    is_bf16_supported = staticmethod(lambda: True)
    synchronize = staticmethod(lambda: None)
    empty_cache = staticmethod(lambda: None)


for _name in vars(_OfCuda):
    if not _name.startswith("__"):
        setattr(sys.modules["torch"].cuda, _name, staticmethod(getattr(_OfCuda, _name)))
