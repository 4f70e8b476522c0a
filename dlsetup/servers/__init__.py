"""Programs that go into images as they are: `serve.py`, and beside it the model of one framework.

They stand alone: inside an image there is no dlsetup.
"""

from __future__ import annotations

from importlib.resources import files


def programs(name: str) -> dict[str, str]:
    """What a server for that framework consists of: file names in the image, and their texts."""
    own = {"serve.py": "serve.py", "model.py": f"{name}.py"}
    return {place: files(__name__).joinpath(source).read_text("utf-8") for place, source in own.items()}
