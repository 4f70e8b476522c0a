"""A training in PyTorch whose settings can be changed one by one."""

from __future__ import annotations

import contextlib
import gc
import importlib
from typing import Any

SIDE = 64
CLASSES = 10
STAND_IN = f"a stand-in network of three convolutions on pictures of 3 x {SIDE} x {SIDE}"
SHORT = ("out of memory", "can't allocate memory", "not enough memory", "bad_alloc", "failed to allocate")

UNMADE = ("could not create a", "could not execute a primitive")


def stand_in(torch: Any) -> tuple[Any, Any]:
    """A network, and a function that makes a batch for it."""
    nn = torch.nn
    network = nn.Sequential(
        nn.Conv2d(3, 32, 3, stride=2, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, stride=2, padding=1),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.Conv2d(64, 128, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(128, CLASSES),
    )
    return network, lambda size: (
        torch.randn(size, 3, SIDE, SIDE),
        torch.randint(0, CLASSES, (size,)),
    )


class Trainer:
    """Steps with one batch that stays on the device: what feeding costs is measured apart."""

    def __init__(self, torch: Any, told: dict[str, Any]) -> None:
        self.torch = torch
        self.where = importlib.import_module("on_torch").place(torch)
        model = told.get("model", "")
        self.network_words = f"the network of `{model}`" if model else STAND_IN
        made = importlib.import_module("measured_model").named(model) if model else stand_in(torch)
        self.network, self.batch_of = made[0].to(self.where).train(), made[1]
        self.called = self.network
        self.optimizer = torch.optim.SGD(self.network.parameters(), lr=1e-3, momentum=0.9)
        self.inputs: Any = None
        self.targets: Any = None

    def load(self, size: int) -> None:
        """The batch that the following steps take."""
        self.inputs, self.targets = (self._moved(part) for part in self.batch_of(size))

    def _moved(self, part: Any) -> Any:
        return part if part is None else part.to(self.where)

    def lay_out(self) -> None:
        """Channels last: parameters and pictures."""
        self.network = self.network.to(memory_format=self.torch.channels_last)
        self.called = self.network
        if getattr(self.inputs, "ndim", 0) == 4:
            self.inputs = self.inputs.to(memory_format=self.torch.channels_last)

    def compile(self) -> None:
        self.called = self.torch.compile(self.network)

    def scaler(self, dtype: Any) -> Any:
        """What float16 needs on a GPU. It has lain in `torch.amp` since 2.3."""
        torch = self.torch
        if self.where != "cuda" or dtype != torch.float16:
            return None
        newer = hasattr(torch.amp, "GradScaler")
        return torch.amp.GradScaler("cuda") if newer else torch.cuda.amp.GradScaler()

    def stepper(self, dtype: Any = None) -> Any:
        """A step, in mixed precision where a type is named."""
        scaler = self.scaler(dtype)

        def step() -> None:
            self.optimizer.zero_grad(set_to_none=True)
            with self._autocast(dtype):
                loss = self.loss(self.called(self.inputs))
            if scaler is None:
                loss.backward()
                self.optimizer.step()
            else:
                scaler.scale(loss).backward()
                scaler.step(self.optimizer)
                scaler.update()

        return step

    def _autocast(self, dtype: Any) -> Any:
        if dtype is None:
            return contextlib.nullcontext()
        return self.torch.autocast(device_type=self.where, dtype=dtype)

    def loss(self, outputs: Any) -> Any:
        """A network without targets computes its loss by itself."""
        functional = self.torch.nn.functional
        if self.targets is None:
            return outputs
        if self.targets.is_floating_point():
            return functional.mse_loss(outputs.float(), self.targets)
        return functional.cross_entropy(outputs.float(), self.targets)

    def settle(self) -> None:
        """Waits until the device has done what was asked of it."""
        backend: Any = getattr(self.torch, self.where, None)
        if self.where != "cpu" and hasattr(backend, "synchronize"):
            backend.synchronize()

    def told(self) -> dict[str, Any]:
        """Where it was measured, and with what."""
        kind = importlib.import_module("on_torch").devices(self.torch)[1]
        return {"device": kind, "network": self.network_words, "version": str(self.torch.__version__)}

    def forget(self) -> None:
        """Gives back the memory of the last batch."""
        self.inputs = self.targets = None
        self.optimizer.zero_grad(set_to_none=True)
        gc.collect()
        backend: Any = getattr(self.torch, self.where, None)
        if self.where != "cpu" and hasattr(backend, "empty_cache"):
            backend.empty_cache()


def is_short(error: BaseException, *, went_before: bool = False) -> bool:
    """Whether it says that there was not enough memory. oneDNN says only that something could not be made.

    `went_before`: the same went with less, so that nothing else can be wrong.
    """
    words = (*SHORT, *UNMADE) if went_before else SHORT
    return isinstance(error, MemoryError) or any(word in str(error).lower() for word in words)


def start(told: dict[str, Any]) -> tuple[Any, Trainer]:
    """PyTorch and a training with the batch that is told."""
    torch = importlib.import_module("torch")
    if told.get("use_threads"):
        torch.set_num_threads(int(told["use_threads"]))
    torch.manual_seed(7)
    trainer = Trainer(torch, told)
    if told.get("batch"):
        trainer.load(int(told["batch"]))
    return torch, trainer
