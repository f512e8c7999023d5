"""The trained reader as the service loads it: `reader.onnx`, and its letters in `reader.json`."""

import json
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn

from alphabet import LETTERS
from network import LineReader
from settings import Shape


class Likelihoods(nn.Module):
    """The output for the service: the most likely letter of each half step, and its likelihood."""

    def __init__(self, reader: LineReader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, lines: Tensor) -> tuple[Tensor, Tensor]:
        likelihoods, letters = torch.softmax(self.reader(lines), dim=2).max(dim=2)
        return letters.to(torch.int32), likelihoods


def write_graph(out: Path, reader: LineReader, shape: Shape) -> None:
    """Lines float32 [n, 1, height, width] → `letters` int32 and `likelihoods` float32, both [n, width / 2]."""
    torch.onnx.export(
        Likelihoods(reader.eval()),
        (torch.zeros(2, 1, shape.height, 64),),
        out / "reader.onnx",
        input_names=["lines"],
        output_names=["letters", "likelihoods"],
        dynamic_axes={"lines": {0: "n", 3: "width"}, "letters": {0: "n", 1: "half"}, "likelihoods": {0: "n", 1: "half"}},
        opset_version=17,
        dynamo=False,
    )
    onnx.checker.check_model(onnx.load(out / "reader.onnx"))
    (out / "reader.json").write_text(json.dumps({"letters": "".join(LETTERS)}, ensure_ascii=False) + "\n", encoding="utf-8")
