"""A model of ONNX that is made with its own library."""

from __future__ import annotations

from typing import Any


def product_of(onnx: Any, left: Any, right: Any) -> Any:
    """A model that multiplies two matrices of these shapes. Old runtimes read its format."""
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    values = [
        helper.make_tensor_value_info(name, kind, list(item.shape))
        for name, item in (("left", left), ("right", right))
    ]
    made = helper.make_tensor_value_info("product", kind, [left.shape[0], right.shape[1]])
    node = helper.make_node("MatMul", ["left", "right"], ["product"])
    graph = helper.make_graph([node], "product", values, [made])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
