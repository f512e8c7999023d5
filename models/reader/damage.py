"""The effects of printing, ageing, scanning and compression on ink."""

import io

import numpy as np
from PIL import Image, ImageFilter
from scipy.ndimage import gaussian_filter, grey_dilation, grey_erosion


def scan(ink: np.ndarray, size: float, random: np.random.Generator) -> np.ndarray:
    """Returns ink of 0 to 1 as a grey picture, uint8, with light paper; `size` is the size of the letters in pixels."""
    if random.random() < 0.12:
        ink = _broken(ink, random)
    if random.random() < 0.15 and size > 14:
        thicker = random.random() < 0.6
        ink = grey_dilation(ink, (2, 2)) if thicker else grey_erosion(ink, (2, 1))
    blur = random.gamma(1.5, 0.25) * min(1.5, size / 20)
    if blur > 0.15:
        ink = gaussian_filter(ink, blur, mode="nearest")
    page = _paper(ink, random)
    if random.random() < 0.18:
        page = _black_and_white(page, random)
    page = np.clip(page, 0, 255).astype(np.uint8)
    return _compressed(page, random) if random.random() < 0.6 else page


def _broken(ink: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Makes holes in strokes, like worn type and dry toner."""
    grain = gaussian_filter(random.standard_normal(ink.shape, np.float32), random.uniform(0.5, 1.5))
    return ink * (grain < np.quantile(grain, random.uniform(0.75, 0.97)))


def _paper(ink: np.ndarray, random: np.random.Generator) -> np.ndarray:
    light = random.uniform(150, 255) if random.random() < 0.5 else 255
    dark = random.uniform(0, min(150, light - 60)) if random.random() < 0.5 else random.uniform(0, 40)
    paper = np.full(ink.shape, light, dtype=np.float32)
    if random.random() < 0.3:
        slope = random.normal(0, 12, size=2)
        rows, columns = np.linspace(-1, 1, ink.shape[0])[:, None], np.linspace(-1, 1, ink.shape[1])[None, :]
        paper += slope[0] * rows + slope[1] * columns
    if random.random() < 0.12:
        # The other side of the sheet shines through.
        other = gaussian_filter(np.roll(ink[:, ::-1], random.integers(-9, 9), axis=0), 1)
        paper -= other * random.uniform(10, 60)
    page = paper - ink * (light - dark)
    if random.random() < 0.7:
        page += random.standard_normal(ink.shape, np.float32) * np.float32(random.gamma(1.5, 5))
    if random.random() < 0.15:
        page += gaussian_filter(random.standard_normal(ink.shape, np.float32), 2) * random.uniform(10, 60)
    if random.random() < 0.06:
        page[random.random(ink.shape) < random.uniform(0.001, 0.02)] = random.choice((0, 255))
    return page


def _black_and_white(page: np.ndarray, random: np.random.Generator) -> np.ndarray:
    low, high = np.quantile(page, (0.01, 0.8))
    return np.where(page < low + (high - low) * random.uniform(0.35, 0.7), 0.0, 255.0)


def _compressed(page: np.ndarray, random: np.random.Generator) -> np.ndarray:
    stored = io.BytesIO()
    picture = Image.fromarray(page)
    if random.random() < 0.1:
        picture = picture.filter(ImageFilter.UnsharpMask(1.5, 120, 2))
    picture.save(stored, "JPEG", quality=int(random.integers(15, 90)))
    return np.asarray(Image.open(stored))
