"""Minimal training scripts, one a framework: they run as they are, and stand alone.

The lines between `# settings` and `# end of settings` are written anew for a machine.
"""

from __future__ import annotations

from importlib.resources import files

SCRIPTS = {
    "torch": "train_torch.py",
    "lightning": "train_lightning.py",
    "jax": "train_jax.py",
    "tensorflow": "train_keras.py",
    "keras": "train_keras.py",
}


def training_script(framework: str) -> str | None:
    """The script for that framework; None: there is none."""
    name = SCRIPTS.get(framework)
    return None if name is None else files(__name__).joinpath(name).read_text("utf-8")
