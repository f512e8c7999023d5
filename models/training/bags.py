"""The work of the service around the graph: weights of a text's tokens, and the parts of a long page."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PartSize:
    """Tokens of a part, the step to the next part, the maximum parts of a page, and the weight of the whole page."""

    tokens: int = 48
    step: int = 32
    most: int = 9
    # A part's vector is that of the part plus this many times that of the whole page, normalised: a part alone
    # does not know what its page is about, and short texts score high by chance.
    whole: float = 2


def spans_of(length: int, size: PartSize) -> list[tuple[int, int]]:
    """Returns the bounds of the overlapping parts of a text with this number of tokens; none if one part holds them all."""
    if length <= size.tokens or size.most < 2:
        return []
    overlap = size.tokens - size.step
    count = min(size.most, -(-(length - overlap) // size.step))
    stride = max(size.step, -(-(length - overlap) // count))
    return [(i * stride, min(length, i * stride + stride + overlap)) for i in range(count)]


def weights_of(tokens: np.ndarray) -> np.ndarray:
    """Returns the weight (1 + ln n) / n for each occurrence of a token that occurs n times: 1 + ln n together."""
    _, place, counts = np.unique(tokens, return_inverse=True, return_counts=True)
    return ((1 + np.log(counts)) / counts)[place].astype(np.float32)
