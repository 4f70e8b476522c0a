"""TensorBoard: an event file is written and read again."""

from __future__ import annotations

import importlib
import tempfile
from typing import Any


def prove() -> dict[str, Any]:
    write = importlib.import_module("tensorboard.summary.writer.event_file_writer").EventFileWriter
    events = importlib.import_module("tensorboard.compat.proto.event_pb2").Event
    summaries = importlib.import_module("tensorboard.compat.proto.summary_pb2").Summary
    read = importlib.import_module("tensorboard.backend.event_processing.event_accumulator").EventAccumulator
    with tempfile.TemporaryDirectory(prefix="dlsetup-tensorboard-") as folder:
        writer = write(folder)
        for step in range(3):
            value = summaries.Value(tag="loss", simple_value=1.0 / (step + 1))
            writer.add_event(events(step=step, summary=summaries(value=[value])))
        writer.close()
        again = read(folder)
        again.Reload()
        steps = [item.step for item in again.Scalars("loss")]
    if steps != [0, 1, 2]:
        raise AssertionError(f"of the steps 0, 1, 2 it reads {steps}")
    return {"evidence": ["3 steps written and read"]}
