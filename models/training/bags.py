"""What the service does around the graph: weights of a text's tokens, and the parts of a long page."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PartSize:
    """Tokens of a part, the step from one to the next, how many a page has at most, and the pull of the whole."""

    tokens: int = 48
    step: int = 32
    most: int = 9
    # A part's vector is that of the part plus this many times that of the whole page, made a unit again: a part alone
    # does not know what its page is about, and short texts score high by chance.
    whole: float = 2


def spans_of(length: int, size: PartSize) -> list[tuple[int, int]]:
    """Where overlapping parts that cover so many tokens begin and end; none if one part holds them all."""
    if length <= size.tokens or size.most < 2:
        return []
    overlap = size.tokens - size.step
    count = min(size.most, -(-(length - overlap) // size.step))
    stride = max(size.step, -(-(length - overlap) // count))
    return [(i * stride, min(length, i * stride + stride + overlap)) for i in range(count)]


def weights_of(tokens: np.ndarray) -> np.ndarray:
    """For each token in its place (1 + ln n) / n, n times being how often it occurs: together 1 + ln n."""
    _, place, counts = np.unique(tokens, return_inverse=True, return_counts=True)
    return ((1 + np.log(counts)) / counts)[place].astype(np.float32)
