"""The letters that the reader recognises, and the encoding of texts in them."""

import unicodedata

ASCII = [chr(code) for code in range(0x20, 0x7F)]
LATIN_1 = [chr(code) for code in range(0xC0, 0x100) if chr(code) not in "×÷"]
# Deprecated and dotless letters are left out, because they look like others.
LATIN_EXTENDED_A = [chr(code) for code in range(0x100, 0x180) if chr(code) not in "ĸŉſ"]
SYMBOLS = list("§©®°±×÷µ«»¿¡€£¥•·†‡™¶½¼¾²³¹ªº√∞≤≥≠≈→←…")

LETTERS = ASCII + LATIN_1 + LATIN_EXTENDED_A + SYMBOLS

# Characters that people read as the same are the same letter here: words are found either way.
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
# A letter and its look-alike may both be on a page; the network learns only one of them.
_PRINTED = {"'": "'''’’‘", '"': '""“”', "-": "-----–—", "`": "`"}

_NUMBERS = {letter: number + 1 for number, letter in enumerate(LETTERS)}


def spelt(text: str) -> str:
    """Returns the text in the alphabet's letters with single spaces between words; other characters are left out."""
    plain = unicodedata.normalize("NFC", text).translate(_SAME)
    return " ".join("".join(letter for letter in plain if letter in _NUMBERS).split())


def numbers(text: str) -> list[int]:
    """Returns the numbers of letters, from 1; 0 is CTC's blank."""
    return [_NUMBERS[letter] for letter in text]


def twins(letter: str) -> str:
    """Returns the shapes in which print shows the letter, the usual one most often."""
    return _PRINTED.get(letter, letter)
