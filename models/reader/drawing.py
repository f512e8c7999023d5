"""Draws lines as ink: text, its neighbours above and below, and rules, before any damage."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from alphabet import twins
from fonts import Font

# Letters that are drawn larger and scaled down fall between pixels, as they do on scans.
_SCALE = 2
_MOST_COLUMNS = 2_400


@dataclass(frozen=True)
class Drawn:
    """Ink of 0 to 1, and the rows and columns of the text's own ink."""

    ink: np.ndarray
    top: float
    bottom: float
    left: float
    right: float


@lru_cache(maxsize=400)
def _face(path: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)


def draw(text: str, font: Font, size: float, neighbours: tuple[str, str], random: np.random.Generator) -> Drawn | None:
    """
    Draws the text with letters `size` pixels high, and `neighbours` above and below (empty: none). Returns None if it leaves no
    ink or would be too long.
    """
    face = _face(str(font.path), max(8, round(size * _SCALE)))
    shown = "".join(_printed(letter, font, random) for letter in text)
    spread = float(random.choice((0.02, 0.05, 0.15))) * size * _SCALE if random.random() < 0.1 else 0.0
    width = face.getlength(shown) + spread * len(shown)
    if width > _MOST_COLUMNS * _SCALE or width < 1:
        return None
    rise, fall = face.getmetrics()
    margin = round(size * _SCALE)
    wide, high = int(width) + 2 * margin, rise + fall + 2 * margin
    baseline = margin + rise
    own = _write(shown, face, (wide, high), margin, baseline, spread)
    box = own.getbbox()
    if box is None:
        return None
    ink = own
    pitch = (rise + fall) * random.uniform(0.8, 1.25)
    for line, side in zip(neighbours, (-1, 1), strict=True):
        if line:
            shift = margin - random.integers(0, margin)
            ink = _add(ink, _write(line, face, (wide, high), int(shift), int(baseline + side * pitch), 0))
    ink = _ruled(ink, box, size, random)
    return _settled(ink, box, random)


def _write(
    text: str, face: ImageFont.FreeTypeFont, size: tuple[int, int], left: int, baseline: int, spread: float
) -> Image.Image:
    page = Image.new("L", size)
    pen = ImageDraw.Draw(page)
    if spread == 0:
        pen.text((left, baseline), text, fill=255, font=face, anchor="ls")
        return page
    at = float(left)
    for letter in text:
        pen.text((at, baseline), letter, fill=255, font=face, anchor="ls")
        at += face.getlength(letter) + spread
    return page


def _printed(letter: str, font: Font, random: np.random.Generator) -> str:
    shape = twins(letter)
    shape = shape[random.integers(len(shape))] if len(shape) > 1 else shape
    return shape if shape in font.letters else letter


def _add(one: Image.Image, other: Image.Image) -> Image.Image:
    return Image.fromarray(np.maximum(np.asarray(one), np.asarray(other)))


def _ruled(ink: Image.Image, box: tuple[int, int, int, int], size: float, random: np.random.Generator) -> Image.Image:
    """Underlines the text, crosses it with a line of a form, or puts it between the rules of a table."""
    dice = random.random()
    if dice > 0.14:
        return ink
    left, top, right, bottom = box
    pen = ImageDraw.Draw(ink)
    thick = max(1, round(size * _SCALE * random.uniform(0.03, 0.09)))
    gap = round(size * _SCALE * random.uniform(0.02, 0.35))
    if dice < 0.06:
        pen.rectangle((left - gap, bottom + gap // 3, right + gap, bottom + gap // 3 + thick), fill=255)
    elif dice < 0.10:
        pen.rectangle((0, bottom + gap, ink.width, bottom + gap + thick), fill=255)
        pen.rectangle((0, top - gap - thick, ink.width, top - gap), fill=255)
    else:
        pen.rectangle((left - gap - thick, 0, left - gap, ink.height), fill=255)
        pen.rectangle((right + gap, 0, right + gap + thick, ink.height), fill=255)
    return ink


def _settled(ink: Image.Image, box: tuple[int, int, int, int], random: np.random.Generator) -> Drawn:
    """Scales a drawing down to the requested size, and rotates and slants it slightly."""
    left, top, right, bottom = box
    across, down = random.uniform(0.88, 1.12) / _SCALE, 1 / _SCALE
    size = (max(1, round(ink.width * across)), max(1, round(ink.height * down)))
    small = ink.resize(size, Image.Resampling.BILINEAR)
    rise = 0.0
    if random.random() < 0.5:
        # The skew of a page that remains after correction; it affects long lines most.
        rise = random.normal(0, 0.12) * (bottom - top) * down / max(size[0], 3)
        slant = random.normal(0, 0.05)
        # The source of each pixel: x + slant * (y - middle), y + rise * (x - middle).
        small = small.transform(
            size,
            Image.Transform.AFFINE,
            (1, slant, -slant * size[1] / 2, rise, 1, -rise * size[0] / 2),
            Image.Resampling.BILINEAR,
        )
    bend = abs(rise) * (right - left) * across / 2
    return Drawn(
        ink=np.asarray(small, dtype=np.float32) / 255,
        top=top * down - bend,
        bottom=bottom * down + bend,
        left=left * across,
        right=right * across,
    )
