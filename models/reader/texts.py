"""The texts of the lines: running text, tables, names with accents, codes."""

import gzip
import json
import random
from pathlib import Path

from alphabet import LATIN_1, LATIN_EXTENDED_A, LETTERS, SYMBOLS, spelt

_MOST_CHARACTERS = 3_000


def read_texts(data: Path, most_per_source: int) -> list[str]:
    """Reads passages of `data/pairs/*.jsonl.gz`, a limited number of each file, evenly distributed over it."""
    texts: list[str] = []
    for path in sorted((data / "pairs").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            passages = [json.loads(line)["d"][:_MOST_CHARACTERS] for line in file]
        texts += passages[:: max(1, len(passages) // most_per_source)][:most_per_source]
    return [text for text in map(spelt, texts) if len(text) > 20]


class Lines:
    """Generates lines without end."""

    def __init__(self, texts: list[str], seed: int) -> None:
        self.texts = texts
        self.random = random.Random(seed)

    def next(self, most: int) -> str:
        """Returns a line of 1 to about `most` characters; columns of a table are separated by several spaces."""
        dice = self.random.random()
        length = max(1, min(most, int(self.random.triangular(1, most * 1.3, most))))
        if dice < 0.62:
            line = self._running(length)
        elif dice < 0.72:
            line = self._table(length)
        elif dice < 0.80:
            line = self._accented(self._running(length))
        elif dice < 0.86:
            line = self._running(length).upper()
        elif dice < 0.90:
            line = self._running(length).title()
        elif dice < 0.96:
            line = " ".join(self._code() for _ in range(1 + length // 12))
        else:
            line = self._listed(length)
        return line.strip() or "1"

    def _running(self, length: int) -> str:
        text = self.random.choice(self.texts)
        begin = self.random.randrange(max(1, len(text) - length))
        begin = text.rfind(" ", 0, begin + 1) + 1
        piece = text[begin : begin + length]
        # Most lines end with a word, some with a part of one and its hyphen.
        if begin + length < len(text) and " " in piece and self.random.random() < 0.85:
            piece = piece[: piece.rindex(" ")]
        elif begin + length < len(text) and piece[-1:].isalpha() and text[begin + length].isalpha():
            piece += "-"
        return piece

    def _accented(self, line: str) -> str:
        share = self.random.choice((0.05, 0.15, 0.4))
        letters = self.random.choice((LATIN_1, LATIN_1, LATIN_EXTENDED_A))
        return "".join(
            self.random.choice(letters) if letter.isalpha() and self.random.random() < share else letter for letter in line
        )

    def _table(self, length: int) -> str:
        cells: list[str] = []
        while sum(map(len, cells)) + 3 * len(cells) < length:
            cells.append(self._running(12) if self.random.random() < 0.3 else self._number())
        return (" " * self.random.randint(1, 5)).join(cells)

    def _number(self) -> str:
        dice = self.random.random()
        value = self.random.random() * 10 ** self.random.randint(0, 7)
        if dice < 0.3:
            return f"{value:,.{self.random.randint(0, 3)}f}"
        if dice < 0.5:
            return str(int(value))
        if dice < 0.6:
            return self.random.choice("$€£") + self.random.choice(("", " ")) + f"{value:,.2f}"
        if dice < 0.7:
            return f"({value:,.1f})"
        if dice < 0.8:
            return f"{value % 100:.1f}" + self.random.choice(("%", " %"))
        if dice < 0.9:
            mark = self.random.choice("/-.")
            return f"{self.random.randint(1, 31):02}{mark}{self.random.randint(1, 12):02}{mark}{self.random.randint(1900, 2040)}"
        return self.random.choice(("-", "n/a", "1st", "2nd", "Q3", "±0.5", "x²", "12:30", "[14]", "#7", "0x1F"))

    def _code(self) -> str:
        dice = self.random.random()
        if dice < 0.3:
            return self._number()
        pool = LETTERS[1:] if dice < 0.5 else [letter for letter in LETTERS[1:95] if letter.isalnum()]
        word = "".join(self.random.choice(pool) for _ in range(self.random.randint(1, 12)))
        if dice < 0.8:
            return word
        mark = self.random.choice(("_", "-", ".", "/", "::", "@"))
        return mark.join(self._running(10).replace(" ", "") for _ in range(self.random.randint(2, 3)))

    def _listed(self, length: int) -> str:
        start = self.random.choice((*SYMBOLS, "•", "•", "-", "*", "(a)", "(iv)", "1.", "3.2", "A.1", "Figure 4:", "Table 2."))
        return f"{start} {self._running(max(1, length - len(start)))}"
