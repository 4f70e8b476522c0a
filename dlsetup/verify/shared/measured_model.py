"""The network that somebody named: `FILE.py:function`."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any


def named(place: str) -> Any:
    """What the function returns. Its file may import what lies beside it."""
    path, _, function = place.rpartition(":")
    sys.path.append(os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location("measured_by_dlsetup", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    found = getattr(module, function)()
    if not (isinstance(found, tuple) and len(found) == 2 and callable(found[1])):
        raise TypeError(
            f"{function}() has to return a network and a function that makes a batch of n samples"
        )
    return found
