"""TensorFlow: a saved model is read again, with the signature that Serving calls."""

from __future__ import annotations

import importlib
import tempfile
from typing import Any


def prove() -> dict[str, Any]:
    shared = importlib.import_module("on_tensorflow")
    tensorflow = shared.ready()
    module = shared.doubling(tensorflow)
    with tempfile.TemporaryDirectory(prefix="dlsetup-saved-") as folder:
        tensorflow.saved_model.save(module, folder, signatures={"serving_default": module.serve})
        serve = tensorflow.saved_model.load(folder).signatures["serving_default"]
        computed = serve(inputs=tensorflow.constant([[1.0, 2.0, 3.0]]))["outputs"].numpy().tolist()
    if computed != [[3.0, 5.0, 7.0]]:
        raise AssertionError(f"the signature gives {computed}, and [[3, 5, 7]] is right")
    return shared.told(tensorflow, "`serving_default` gives the right numbers")
