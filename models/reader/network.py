"""The graph: from grey lines to the likelihoods of the alphabet's letters for each half step."""

import torch
from torch import Tensor, nn

from settings import Shape


def _block(inputs: int, outputs: int, stride: tuple[int, int]) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


class LineReader(nn.Module):
    """
    Convolutions reduce a line to one step for every four columns; two bidirectional LSTM layers relate the steps.
    Each step has two outputs, for its left and its right half, because two thin letters may share a step.
    """

    def __init__(self, shape: Shape, letters: int) -> None:
        super().__init__()
        first, second, third, fourth = shape.channels
        self.see = nn.Sequential(
            _block(1, first, (2, 2)),
            _block(first, second, (2, 1)),
            _block(second, third, (1, 1)),
            _block(third, fourth, (2, 2)),
            _block(fourth, fourth, (1, 1)),
            # The remaining rows become one.
            nn.Conv2d(fourth, shape.features, (shape.height // 8, 1), bias=False),
            nn.BatchNorm2d(shape.features),
            nn.ReLU(),
        )
        self.order = nn.LSTM(shape.features, shape.memory, num_layers=2, bidirectional=True, batch_first=True)
        self.drop = nn.Dropout(shape.dropout)
        self.name = nn.Linear(2 * shape.memory, 2 * letters)
        self.letters = letters

    def forward(self, lines: Tensor) -> Tensor:
        """Lines [n, 1, height, width], width a multiple of 4, ink 1, paper 0 → logits [n, width / 2, letters]."""
        steps = self.see(lines).squeeze(2).transpose(1, 2)
        ordered, _ = self.order(steps)
        halves = self.name(self.drop(ordered))
        return halves.reshape(halves.shape[0], -1, self.letters)


def log_likelihoods(logits: Tensor) -> Tensor:
    """Returns the input of PyTorch's CTC loss: [steps, n, letters]."""
    return torch.log_softmax(logits, dim=2).transpose(0, 1)
