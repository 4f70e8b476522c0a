"""LiteRT: a model of one matrix product, written with LiteRT's own schema and run by its interpreter."""

from __future__ import annotations

import importlib
from typing import Any


def look(left: list[list[float]], right: list[list[float]]) -> dict[str, Any]:
    module = importlib.import_module("ai_edge_litert")
    interpreter = importlib.import_module("ai_edge_litert.interpreter")
    version = getattr(module, "__version__", "")
    try:
        content = model(len(left), len(right), len(right[0]))
    except ImportError:
        # Early releases come without the schema: that their runtime loads is all that can be seen.
        return {"version": version}
    numpy = importlib.import_module("numpy")
    session = interpreter.Interpreter(model_content=content)
    session.allocate_tensors()
    for place, rows in zip(session.get_input_details(), (left, right)):  # noqa: B905
        session.set_tensor(place["index"], numpy.array(rows, "float32"))
    session.invoke()
    product = session.get_tensor(session.get_output_details()[0]["index"])
    return {
        "version": version,
        "devices": ["cpu"],
        "device": "cpu",
        "computed": product.tolist(),
    }


def model(rows: int, inner: int, columns: int) -> bytes:
    """A model file with the one operator `product = BATCH_MATMUL(left, right)`."""
    schema = importlib.import_module("ai_edge_litert.schema_py_generated")
    flatbuffers = importlib.import_module("flatbuffers")
    code = schema.OperatorCodeT()
    code.builtinCode = schema.BuiltinOperator.BATCH_MATMUL
    code.version = 1
    operator = schema.OperatorT()
    operator.inputs, operator.outputs = [0, 1], [2]
    operator.builtinOptionsType = schema.BuiltinOptions.BatchMatMulOptions
    operator.builtinOptions = schema.BatchMatMulOptionsT()
    graph = schema.SubGraphT()
    graph.tensors = [
        tensor(schema, b"left", rows, inner),
        tensor(schema, b"right", inner, columns),
        tensor(schema, b"product", rows, columns),
    ]
    graph.inputs, graph.outputs, graph.operators = [0, 1], [2], [operator]
    whole = schema.ModelT()
    whole.version, whole.operatorCodes, whole.subgraphs = 3, [code], [graph]
    whole.buffers = [schema.BufferT()]
    builder = flatbuffers.Builder(1024)
    builder.Finish(whole.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def tensor(schema: Any, name: bytes, rows: int, columns: int) -> Any:
    """The description of a tensor of 32-bit floats."""
    made = schema.TensorT()
    made.name, made.shape, made.type = name, [rows, columns], schema.TensorType.FLOAT32
    return made
