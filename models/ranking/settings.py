"""The starting weights of `train.py`, and the weights that it tries."""

import numpy as np

# By feature (server/ranking/rerank): the starting weight, and the weights that are tried. Those of documents, pairs,
# windows, headings and length were confirmed on collections of long documents that are not used for tuning here.
_FEATURES = {
    "pairs": (1.0, (0, 0.5, 1, 1.5, 2, 2.5, 3)),
    "window": (1.5, (0, 0.75, 1.25, 1.75, 2.25, 3)),
    "heading": (0.6, (0, 0.3, 0.7, 1, 1.5)),
    "numbers": (0.3, (0, 0.3, 0.6, 1)),
    "length": (-0.15, (-0.6, -0.45, -0.35, -0.25, -0.15, 0)),
    "documentName": (0.4, (0, 0.2, 0.4, 0.6, 0.8, 1)),
    "documentOpening": (0.1, (0, 0.1, 0.2, 0.4)),
    "documentWhole": (0.1, (-0.1, 0, 0.1, 0.2, 0.4)),
    "neighbours": (0.0, (0, 0.25, 0.5, 0.75)),
}

FEATURES = tuple(_FEATURES)
START = np.array([start for start, _ in _FEATURES.values()])
STEPS = tuple(steps for _, steps in _FEATURES.values())
ROUNDS = 2
# A weight changes only for a gain larger than chance would give.
LEAST_GAIN = 0.05
