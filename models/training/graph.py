"""The trained table as an ONNX graph that the service runs."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


def write_graph(path: Path, table: np.ndarray, rows: np.ndarray, pair_gains: np.ndarray, pairs: float) -> None:
    """
    Inputs `ids` (int64) and `weights` (float32), [texts, tokens], in the order of the text, padded with weight 0;
    output `embedding` (float32, [texts, dimensions]), unit vectors.

    A text is the unit vector of its words plus `pairs` times that of its neighbouring words. A pair of words has the
    signs of both rows multiplied, the second shifted by one place so that their order counts: as good as a random
    vector of its own (binding: Plate, "Holographic Reduced Representations", 1995), for which no row is kept.
    """
    scales = (np.abs(table).max(axis=1) / 127).clip(min=1e-12).astype(np.float32)
    bytes_of_rows = np.rint(table / scales[:, None]).clip(-127, 127).astype(np.int8)
    constants = {
        "row_of_token": rows.astype(np.int32),
        "table": bytes_of_rows,
        "scales": scales,
        "pair_gains": pair_gains.astype(np.float32),
        "pairs": np.array(pairs, dtype=np.float32),
        "tiny": np.array(1e-9, dtype=np.float32),
        "zero": np.array([0], dtype=np.int64),
        "one": np.array([1], dtype=np.int64),
        "last": np.array([-1], dtype=np.int64),
        "end": np.array([np.iinfo(np.int64).max], dtype=np.int64),
        "tokens_axis": np.array([1], dtype=np.int64),
        "values_axis": np.array([2], dtype=np.int64),
        "one_more_token": np.array([0, 0, 0, 1], dtype=np.int64),
        "one_more_row": np.array([0, 0, 0, 0, 1, 0], dtype=np.int64),
    }
    nodes = [
        _node("Gather", ["row_of_token", "ids"], "rows"),
        _node("Gather", ["table", "rows"], "bytes"),
        _node("Cast", ["bytes"], "values", to=TensorProto.FLOAT),
        _node("Gather", ["scales", "rows"], "scale"),
        _node("Mul", ["weights", "scale"], "word_weights"),
        *_weighed_sum("word", "word_weights", "values"),
        # The signs of the next word, shifted by one place.
        _node("Sign", ["values"], "signs"),
        _node("Slice", ["signs", "one", "end", "tokens_axis"], "next_signs"),
        _node("Slice", ["next_signs", "last", "end", "values_axis"], "turned_end"),
        _node("Slice", ["next_signs", "zero", "last", "values_axis"], "turned_start"),
        _node("Concat", ["turned_end", "turned_start"], "turned", axis=2),
        _node("Pad", ["turned", "one_more_row"], "turned_next"),
        _node("Mul", ["signs", "turned_next"], "bound"),
        _node("Sqrt", ["weights"], "root_weights"),
        _node("Gather", ["pair_gains", "rows"], "gains"),
        _node("Mul", ["root_weights", "gains"], "own_gains"),
        _node("Slice", ["own_gains", "one", "end", "tokens_axis"], "later_gains"),
        _node("Pad", ["later_gains", "one_more_token"], "next_gains"),
        _node("Mul", ["own_gains", "next_gains"], "pair_weights"),
        *_weighed_sum("pair", "pair_weights", "bound"),
        _node("Mul", ["pair_unit", "pairs"], "pair_share"),
        _node("Add", ["word_unit", "pair_share"], "both"),
        *_unit("both", "embedding"),
    ]
    graph = helper.make_graph(
        nodes,
        "text",
        [
            helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"]),
            helper.make_tensor_value_info("weights", TensorProto.FLOAT, ["texts", "tokens"]),
        ],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["texts", table.shape[1]])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8, producer_name="drs")
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, str(path))


def _node(kind: str, inputs: list[str], output: str, **attributes: int) -> onnx.NodeProto:
    return helper.make_node(kind, inputs, [output], **attributes)


def _weighed_sum(name: str, weights: str, values: str) -> list[onnx.NodeProto]:
    """Adds `NAME_unit`: the sum over the tokens as a unit vector."""
    return [
        _node("Unsqueeze", [weights, "tokens_axis"], f"{name}_row"),
        _node("MatMul", [f"{name}_row", values], f"{name}_sums"),
        _node("Squeeze", [f"{name}_sums", "tokens_axis"], f"{name}_sum"),
        *_unit(f"{name}_sum", f"{name}_unit"),
    ]


def _unit(vector: str, output: str) -> list[onnx.NodeProto]:
    """Zero stays zero."""
    return [
        _node("ReduceL2", [vector], f"{vector}_length", axes=[-1], keepdims=1),
        _node("Max", [f"{vector}_length", "tiny"], f"{vector}_divisor"),
        _node("Div", [vector, f"{vector}_divisor"], output),
    ]
