"""
python evaluate.py --data DIR --fonts DIR --out DIR

Reads lines drawn with families that training never saw, with `reader.onnx` as the service runs it, and reports how many of
their letters and words are correct.
"""

import argparse
from pathlib import Path

import numpy as np
import onnxruntime

from alphabet import LETTERS
from examples import Drawings, batch_of
from fonts import read_fonts
from settings import Settings
from texts import read_texts

_LINES = 2_000
_AT_ONCE = 20
# The lines differ from those of training, even if their passages are the same.
_SEED = 1_000_003


def main() -> None:
    arguments = argparse.ArgumentParser(description="measure the reader on fonts that it has not seen")
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--fonts", type=Path, required=True)
    arguments.add_argument("--out", type=Path, required=True)
    given = arguments.parse_args()
    settings = Settings()
    fonts = [font for font in read_fonts(given.fonts) if font.family in settings.held_out]
    drawings = Drawings(fonts, read_texts(given.data, settings.passages), settings, _SEED)
    session = onnxruntime.InferenceSession(given.out / "reader.onnx", providers=["CPUExecutionProvider"])

    wrong, letters, found, words = 0, 0, 0, 0
    for _ in range(_LINES // _AT_ONCE):
        examples = [drawings.next(settings.longest) for _ in range(_AT_ONCE)]
        named, _ = session.run(None, {"lines": batch_of(examples).lines.numpy()})
        for example, numbers in zip(examples, named, strict=True):
            read = decoded(numbers)
            wrong += distance(example.text, read)
            letters += len(example.text)
            found += common(example.text.split(), read.split())
            words += len(example.text.split())
    print(f"{_LINES} lines in {', '.join(settings.held_out)}: letters wrong {wrong / letters:.1%}, words right {found / words:.1%}")


def decoded(numbers: np.ndarray) -> str:
    """Returns the text of CTC's output: repetitions are one letter, and 0 separates letters."""
    first = np.concatenate(([True], numbers[1:] != numbers[:-1]))
    return "".join(LETTERS[number - 1] for number in numbers[first] if number > 0)


def common(one: list[str], other: list[str]) -> int:
    return sum(min(one.count(word), other.count(word)) for word in set(one))


def distance(one: str, other: str) -> int:
    """Counts insertions, deletions and replacements (Levenshtein)."""
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one):
        before, row[0] = row[0], index + 1
        for column, candidate in enumerate(other):
            before, row[column + 1] = (
                row[column + 1],
                min(row[column + 1] + 1, row[column] + 1, before + (letter != candidate)),
            )
    return row[-1]


if __name__ == "__main__":
    main()
