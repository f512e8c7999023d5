"""Cuts a line out of a page as input of the reader. The service does the same, see `server/embedding/ocr/`."""

import numpy as np
from PIL import Image

from drawing import Drawn

# Ink is as dark as the darkest hundredth, paper as light as the lightest fifth; below this contrast there is no ink.
_DARK, _LIGHT, _LEAST_CONTRAST = 0.01, 0.8, 24


def cut(page: np.ndarray, line: Drawn, height: int, random: np.random.Generator) -> np.ndarray:
    """Cuts out the rows of the text with a margin, as no line finder is exact: uint8 [height, width], ink 255."""
    tall = line.bottom - line.top
    above, below = random.uniform(-0.03, 0.22, size=2) * tall
    # A finder may take more of a line without long letters, because of its neighbours.
    if random.random() < 0.15:
        above += random.uniform(0, 0.35) * tall
    if random.random() < 0.15:
        below += random.uniform(0, 0.35) * tall
    left, right = random.uniform(0.05, 0.5, size=2) * tall
    box = (
        max(0.0, line.left - left),
        max(0.0, line.top - above),
        min(page.shape[1], line.right + right),
        min(page.shape[0], line.bottom + below),
    )
    return framed(page, box, height)


def framed(page: np.ndarray, box: tuple[float, float, float, float], height: int) -> np.ndarray:
    """Scales a part of a grey page to `height` rows, and stretches and inverts its contrast."""
    left, top, right, bottom = box
    width = max(8, round((right - left) * height / max(1.0, bottom - top)))
    small = Image.fromarray(page).resize((width, height), Image.Resampling.BILINEAR, box=box)
    values = np.asarray(small, dtype=np.float32)
    dark, light = np.quantile(values, (_DARK, _LIGHT))
    spread = max(_LEAST_CONTRAST, light - dark)
    return np.clip((light - values) / spread * 255, 0, 255).astype(np.uint8)
