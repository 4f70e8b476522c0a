"""One epoch of training, under either name that Lightning is installed by."""

from __future__ import annotations

import importlib
import tempfile
from typing import Any


def fit(lightning: Any) -> dict[str, Any]:
    """Fits a network of one layer. Raises where the loss does not go down."""
    torch = importlib.import_module("torch")
    shared = importlib.import_module("on_torch")
    network, inputs, targets = shared.regression(torch)
    losses: list[float] = []

    module: Any = lightning.LightningModule

    class Regression(module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def training_step(self, batch: Any, _: int) -> Any:
            loss = torch.nn.functional.mse_loss(self.network(batch[0]), batch[1])
            losses.append(loss.item())
            return loss

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.02)

    data = torch.utils.data.TensorDataset(inputs.cpu().repeat(8, 1), targets.cpu().repeat(8, 1))
    with tempfile.TemporaryDirectory(prefix="dlsetup-lightning-") as folder:
        trainer = lightning.Trainer(
            max_epochs=1,
            devices=1,
            default_root_dir=folder,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )
        trainer.fit(Regression(), torch.utils.data.DataLoader(data, batch_size=64))
    return shared.told(torch, "one epoch", importlib.import_module("training").learned(losses))
