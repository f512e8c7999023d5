"""Batches of lines with their texts."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from alphabet import numbers, spelt
from damage import scan
from drawing import draw
from fonts import Font, families
from framing import cut
from settings import Settings
from texts import Lines

# The number of lines that are drawn and sorted by width before they are batched, so that batches need little padding.
_POOL = 480
# Widths are multiples of this, because the convolutions are compiled again for each new width.
_FEW_WIDTHS = 32
# The minimum number of columns of a letter; with fewer, the graph has too few steps to name it.
_COLUMNS_PER_LETTER = 3


@dataclass(frozen=True)
class Example:
    picture: np.ndarray
    text: str


@dataclass(frozen=True)
class Batch:
    """Lines [n, 1, height, width] of 0 to 1, their letters one after another, and the number of letters of each."""

    lines: torch.Tensor
    letters: torch.Tensor
    counts: torch.Tensor


class Drawings:
    """Generates drawn, damaged and framed lines without end."""

    def __init__(self, fonts: list[Font], texts: list[str], settings: Settings, seed: int) -> None:
        self.lines = Lines(texts, seed)
        self.random = np.random.default_rng(seed)
        self.families = list(families(fonts).values())
        self.height = settings.shape.height

    def next(self, most: int) -> Example:
        while True:
            family = self.families[self.random.integers(len(self.families))]
            font = family[self.random.integers(len(family))]
            # Characters for which the font has no glyph would be drawn as boxes.
            wanted = self.lines.next(most)
            text = "".join(letter for letter in wanted if letter in font.letters)
            if text.strip() == "":
                continue
            example = self._example(text, font)
            if example is not None:
                return example

    def _example(self, text: str, font: Font) -> Example | None:
        # Most text is set in 8 to 14 points, which a scan shows with 14 to 40 pixels.
        size = float(np.clip(self.random.lognormal(np.log(21), 0.4), 11, 70))
        beside = self.random.random() < 0.55
        neighbours = (self.lines.next(60), self.lines.next(60)) if beside else ("", "")
        drawn = draw(text, font, size, neighbours, self.random)
        if drawn is None:
            return None
        picture = cut(scan(drawn.ink, size, self.random), drawn, self.height, self.random)
        label = spelt(text)
        return Example(picture, label) if picture.shape[1] >= _COLUMNS_PER_LETTER * len(label) else None

    def batches(self, most: int, columns: int) -> Iterator[Batch]:
        """Yields the batches of one pool of lines of at most `most` characters, in random order."""
        pool = sorted((self.next(most) for _ in range(_POOL)), key=lambda example: example.picture.shape[1])
        batches: list[list[Example]] = [[]]
        for example in pool:
            if (len(batches[-1]) + 1) * example.picture.shape[1] > columns and batches[-1]:
                batches.append([])
            batches[-1].append(example)
        for index in self.random.permutation(len(batches)):
            yield batch_of(batches[index])


def batch_of(examples: list[Example]) -> Batch:
    height = examples[0].picture.shape[0]
    width = -(-max(example.picture.shape[1] for example in examples) // _FEW_WIDTHS) * _FEW_WIDTHS
    lines = np.zeros((len(examples), 1, height, width), dtype=np.float32)
    for index, example in enumerate(examples):
        lines[index, 0, :, : example.picture.shape[1]] = example.picture / np.float32(255)
    letters = [numbers(example.text) for example in examples]
    return Batch(
        lines=torch.from_numpy(lines),
        letters=torch.tensor([number for line in letters for number in line]),
        counts=torch.tensor([len(line) for line in letters]),
    )
