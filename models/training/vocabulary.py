"""The tokenizer, trained on the training texts, and the row of the table for each of its tokens."""

import json
import unicodedata
from collections.abc import Iterable, Iterator

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from lexical import stem

UNKNOWN = "[UNK]"
CONTINUES = "##"

# Letters of the scripts that the training texts do not contain. The tokenizer removes accents by decomposition, so kana
# lose their voicing marks and Hangul becomes conjoining letters.
FOREIGN_SCRIPTS = (
    (0x0370, 0x05FF),  # Greek, Cyrillic, Armenian, Hebrew
    (0x0600, 0x06FF),  # Arabic
    (0x0900, 0x0DFF),  # the scripts of India
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x10A0, 0x11FF),  # Georgian, Hangul
    (0x3041, 0x30FF),  # kana
    (0x4E00, 0x9FFF),  # ideographs
)
# Rows that all foreign letters share, so that 24,000 letters take a megabyte and rarely collide.
FOREIGN_ROWS = 1024


def train_tokenizer(texts: Iterable[str], size: int) -> Tokenizer:
    """
    WordPiece over lower-case text without accents, divided at white space, punctuation and ideographs. Words that it
    was not trained on are split into known pieces; letters of foreign scripts are tokens of their own.
    """
    tokenizer = Tokenizer(models.WordPiece(unk_token=UNKNOWN, continuing_subword_prefix=CONTINUES))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=True, clean_text=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=[UNKNOWN], continuing_subword_prefix=CONTINUES, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return _with_foreign_letters(tokenizer)


def _with_foreign_letters(tokenizer: Tokenizer) -> Tokenizer:
    content = json.loads(tokenizer.to_str())
    vocabulary: dict[str, int] = content["model"]["vocab"]
    for token in _foreign_tokens():
        vocabulary.setdefault(token, len(vocabulary))
    return Tokenizer.from_str(json.dumps(content))


def _foreign_tokens() -> Iterator[str]:
    for first, last in FOREIGN_SCRIPTS:
        for letter in map(chr, range(first, last + 1)):
            if unicodedata.category(letter)[0] != "L" or unicodedata.normalize("NFD", letter.lower()) != letter:
                continue
            yield letter
            # Each ideograph is a word.
            if first != 0x4E00:
                yield CONTINUES + letter


def rows_of(tokenizer: Tokenizer) -> np.ndarray:
    """Returns the row of each token in the table: the forms of a word share one, foreign letters share the first rows."""
    rows: dict[str, int] = {}
    vocabulary = tokenizer.get_vocab()
    of_token = np.zeros(len(vocabulary), dtype=np.int32)
    for token, number in sorted(vocabulary.items(), key=lambda entry: entry[1]):
        letter = token.removeprefix(CONTINUES)
        if is_foreign(letter):
            of_token[number] = ord(letter) % FOREIGN_ROWS
        else:
            key = stem(token) if token.isascii() and token.isalpha() else token
            of_token[number] = FOREIGN_ROWS + rows.setdefault(key, len(rows))
    return of_token


def spelt_rows(tokenizer: Tokenizer, rows: np.ndarray) -> np.ndarray:
    """Returns true for rows whose tokens have a letter or digit, false for punctuation."""
    spelt = np.zeros(rows.max() + 1, dtype=bool)
    for token, number in tokenizer.get_vocab().items():
        if any(character.isalnum() for character in token):
            spelt[rows[number]] = True
    return spelt


def is_foreign(letter: str) -> bool:
    return len(letter) == 1 and any(first <= ord(letter) <= last for first, last in FOREIGN_SCRIPTS)


def tokens_of(tokenizer: Tokenizer, texts: list[str]) -> list[np.ndarray]:
    """Returns the token numbers of each text without unknown tokens."""
    unknown = tokenizer.token_to_id(UNKNOWN)
    arrays = []
    for start in range(0, len(texts), 4096):
        for encoding in tokenizer.encode_batch_fast(texts[start : start + 4096], add_special_tokens=False):
            ids = np.asarray(encoding.ids, dtype=np.int32)
            arrays.append(ids[ids != unknown])
    return arrays
