"""BM25 as a baseline, with the settings of the service's full-text index."""

import re
import unicodedata

import numpy as np
import scipy.sparse as sparse
import snowballstemmer

# Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009; the customary values.
K1 = 1.2
B = 0.75

# The 33 words of Lucene's English analyser.
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)

_WORD = re.compile(r"\w+")
_stemmer = snowballstemmer.stemmer("english")
_stems: dict[str, str] = {}


def stem(word: str) -> str:
    """Stems a word by Porter 2, with a cache because words repeat."""
    if word not in _stems:
        _stems[word] = _stemmer.stemWord(word)
    return _stems[word]


def fold(text: str) -> str:
    """Returns the text in lower case without accents."""
    decomposed = unicodedata.normalize("NFKD", text.lower())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def terms_of(text: str) -> list[str]:
    return [stem(word) for word in _WORD.findall(fold(text)) if word not in STOP_WORDS]


class Bm25:
    """An index of documents; `scores` returns one row for each query."""

    def __init__(self, documents: list[str]) -> None:
        self._numbers: dict[str, int] = {}
        counts = _counts([terms_of(text) for text in documents], self._numbers, grow=True)
        lengths = np.asarray(counts.sum(axis=1)).ravel()
        frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        idf = np.log1p((len(documents) - frequency + 0.5) / (frequency + 0.5))
        rows = np.repeat(np.arange(len(documents)), np.diff(counts.indptr))
        saturation = counts.data + K1 * (1 - B + B * lengths[rows] / lengths.mean())
        weights = idf[counts.indices] * counts.data * (K1 + 1) / saturation
        self._weights = sparse.csr_matrix((weights, counts.indices, counts.indptr), shape=counts.shape)

    def scores(self, queries: list[str]) -> np.ndarray:
        asked = _counts([terms_of(text) for text in queries], self._numbers, grow=False)
        return np.asarray((asked @ self._weights.T).todense(), dtype=np.float32)


class Bm25Batch:
    """BM25 among the passages of a training batch, by the rows of their tokens, with the idf of all passages."""

    # Rows with a lower idf are stop words, which one text in seven has.
    LEAST_IDF = 2

    def __init__(self, rows: np.ndarray, idf: np.ndarray) -> None:
        self._rows = rows
        self._idf = np.where(idf < self.LEAST_IDF, 0, idf).astype(np.float32)

    def scores(self, queries: list[np.ndarray], passages: list[np.ndarray]) -> np.ndarray:
        counts = self._counts(passages)
        lengths = np.asarray(counts.sum(axis=1)).ravel()
        owner = np.repeat(np.arange(len(passages)), np.diff(counts.indptr))
        saturation = counts.data + K1 * (1 - B + B * lengths[owner] / lengths.mean())
        weights = self._idf[counts.indices] * counts.data * (K1 + 1) / saturation
        weighed = sparse.csr_matrix((weights.astype(np.float32), counts.indices, counts.indptr), shape=counts.shape)
        return np.asarray((self._counts(queries) @ weighed.T).todense(), dtype=np.float32)

    def _counts(self, texts: list[np.ndarray]) -> sparse.csr_matrix:
        starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])])
        indices = self._rows[np.concatenate(texts)]
        ones = np.ones(len(indices), dtype=np.float32)
        matrix = sparse.csr_matrix((ones, indices, starts), shape=(len(texts), len(self._idf)))
        matrix.sum_duplicates()
        return matrix


def _counts(texts: list[list[str]], numbers: dict[str, int], grow: bool) -> sparse.csr_matrix:
    indices: list[int] = []
    starts = [0]
    for terms in texts:
        for term in terms:
            number = numbers.setdefault(term, len(numbers)) if grow else numbers.get(term)
            if number is not None:
                indices.append(number)
        starts.append(len(indices))
    matrix = sparse.csr_matrix((np.ones(len(indices)), indices, starts), shape=(len(texts), len(numbers)))
    matrix.sum_duplicates()
    return matrix
