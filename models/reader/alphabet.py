"""The letters that the reader knows, and how texts are spelt with them."""

import unicodedata

ASCII = [chr(code) for code in range(0x20, 0x7F)]
LATIN_1 = [chr(code) for code in range(0xC0, 0x100) if chr(code) not in "×÷"]
# Without the deprecated and the dotless ones, which look like others.
LATIN_EXTENDED_A = [chr(code) for code in range(0x100, 0x180) if chr(code) not in "ĸŉſ"]
SYMBOLS = list("§©®°±×÷µ«»¿¡€£¥•·†‡™¶½¼¾²³¹ªº√∞≤≥≠≈→←…")

LETTERS = ASCII + LATIN_1 + LATIN_EXTENDED_A + SYMBOLS

# What readers of a page take for the same is the same here: words are found either way.
_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\t\n\r\u00a0\u2002\u2003\u2009\u202f", " "),
        "ﬁ": "fi",
        "ﬂ": "fl",
        "ﬀ": "ff",
        "ﬃ": "ffi",
        "ﬄ": "ffl",
        "μ": "µ",
    }
)
# Of a letter and its twin, both on the page, only one is to be learnt.
_PRINTED = {"'": "'''’’‘", '"': '""“”', "-": "-----–—", "`": "`"}

_NUMBERS = {letter: number + 1 for number, letter in enumerate(LETTERS)}


def spelt(text: str) -> str:
    """The text in the alphabet's letters, single spaces between words; letters that it does not have are left out."""
    plain = unicodedata.normalize("NFC", text).translate(_SAME)
    return " ".join("".join(letter for letter in plain if letter in _NUMBERS).split())


def numbers(text: str) -> list[int]:
    """Of letters, from 1; 0 is CTC's blank."""
    return [_NUMBERS[letter] for letter in text]


def twins(letter: str) -> str:
    """Shapes in which print shows the letter, the usual one most often."""
    return _PRINTED.get(letter, letter)
