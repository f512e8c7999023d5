"""The fonts of the drawn lines."""

from dataclasses import dataclass
from pathlib import Path

from fontTools.ttLib import TTFont

from alphabet import ASCII, LATIN_1

# Fonts with these names have Latin letters, but are not used for running text.
_UNUSUAL = ("math", "symbol", "dingbat", "emoji", "icon", "smallcaps", "sc-", "-sc", "outline", "initials", "keyboard", "biolinum_k")
# Most text is upright and of normal weight.
_USUAL = ("regular", "book", "roman", "text", "medium")
_USUAL_WEIGHT = 3


@dataclass(frozen=True)
class Font:
    path: Path
    family: str
    letters: frozenset[str]
    usual: bool


def read_fonts(folder: Path) -> list[Font]:
    """Returns all fonts below the folder that have ASCII and most of Latin-1, in the order of their paths."""
    fonts = [font for path in sorted(folder.rglob("*.[ot]tf")) if (font := _read(path)) is not None]
    if not fonts:
        raise SystemExit(f"there are no fonts in {folder}; make them with `make fonts`")
    return fonts


def families(fonts: list[Font]) -> dict[str, list[Font]]:
    """Groups fonts by family, so that a family of forty weights counts like one of four; normal weights several times."""
    found: dict[str, list[Font]] = {}
    for font in fonts:
        found.setdefault(font.family, []).extend([font] * (_USUAL_WEIGHT if font.usual else 1))
    return found


def _read(path: Path) -> Font | None:
    if any(word in path.name.lower() for word in _UNUSUAL):
        return None
    with TTFont(path, lazy=True) as font:
        names = font["name"]
        family = names.getDebugName(16) or names.getDebugName(1) or path.stem
        style = (names.getDebugName(17) or names.getDebugName(2) or "").lower()
        letters = frozenset(chr(code) for code in font.getBestCmap() or {})
    # Languages' cuts of one Noto family share their Latin letters.
    if family.startswith("Noto") and family not in ("Noto Sans", "Noto Serif", "Noto Sans Display", "Noto Serif Display"):
        return None
    whole = all(letter in letters for letter in ASCII) and sum(letter in letters for letter in LATIN_1) > 50
    return Font(path, family, letters, usual=style in _USUAL) if whole else None
