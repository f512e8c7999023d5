"""Training examples as token numbers: pairs, and sentences that are taken out of their passages."""

import re
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

from corpus import Pair
from settings import Settings
from vocabulary import tokens_of

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
# Shorter sentences are headings and list markers, which do not describe their passage.
SHORTEST_SENTENCE = 4

# Probabilities of variations of the examples, so that they are no easier than real queries.
DROP_HEADING = 0.5
KEEP_SENTENCE = 0.1
CROP = 0.5
CROPPED_TOKENS = 128


@dataclass(frozen=True)
class Texts:
    """
    Many texts in one array of tokens. Sentence s is tokens[starts[s] : starts[s + 1]], text t has the sentences from
    firsts[t] up to firsts[t + 1].
    """

    tokens: np.ndarray
    starts: np.ndarray
    firsts: np.ndarray

    def __len__(self) -> int:
        return len(self.firsts) - 1

    def text(self, number: int) -> np.ndarray:
        return self.tokens[self.starts[self.firsts[number]] : self.starts[self.firsts[number + 1]]]

    def all(self) -> list[np.ndarray]:
        return [self.text(number) for number in range(len(self))]

    def sentences(self, number: int) -> list[tuple[int, int]]:
        """Returns the bounds of the sentences in the text."""
        bounds = self.starts[self.firsts[number] : self.firsts[number + 1] + 1] - self.starts[self.firsts[number]]
        return list(zip(bounds[:-1].tolist(), bounds[1:].tolist()))


@dataclass(frozen=True)
class Examples:
    """Pairs as numbers of queries and passages, and the source number of each pair and passage."""

    queries: Texts
    passages: Texts
    pair_query: np.ndarray
    pair_passage: np.ndarray
    pair_source: np.ndarray
    passage_source: np.ndarray


def examples_of(tokenizer: Tokenizer, pairs: list[Pair]) -> Examples:
    queries = {text: number for number, text in enumerate(dict.fromkeys(pair.query for pair in pairs))}
    passages = {text: number for number, text in enumerate(dict.fromkeys(pair.passage for pair in pairs))}
    sources = {source: number for number, source in enumerate(dict.fromkeys(pair.source for pair in pairs))}
    passage_source = np.zeros(len(passages), dtype=np.int32)
    for pair in pairs:
        passage_source[passages[pair.passage]] = sources[pair.source]
    return Examples(
        queries=_texts(tokenizer, list(queries)),
        passages=_texts(tokenizer, list(passages)),
        pair_query=np.array([queries[pair.query] for pair in pairs]),
        pair_passage=np.array([passages[pair.passage] for pair in pairs]),
        pair_source=np.array([sources[pair.source] for pair in pairs]),
        passage_source=passage_source,
    )


def _texts(tokenizer: Tokenizer, texts: list[str]) -> Texts:
    sentences = [_SENTENCE_END.split(text) for text in texts]
    tokens = tokens_of(tokenizer, [sentence for text in sentences for sentence in text])
    starts = np.concatenate([[0], np.cumsum([len(t) for t in tokens])])
    firsts = np.concatenate([[0], np.cumsum([len(text) for text in sentences])])
    return Texts(np.concatenate(tokens), starts, firsts)


class Batches:
    """Generates a seeded sequence of batches without end: queries, passages, and the numbers of these passages."""

    def __init__(self, examples: Examples, settings: Settings) -> None:
        self._examples = examples
        self._settings = settings
        self._random = np.random.default_rng(settings.seed)
        sizes = np.bincount(examples.pair_source)
        self._chances = sizes / sizes.sum()

    def next(self) -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray]:
        examples, random = self._examples, self._random
        pairs, passages = self._pool()
        taken = int(random.binomial(self._settings.batch, self._settings.taken))
        given = min(self._settings.batch - taken, len(pairs))
        chosen = [
            (*self._given_pair(pair), examples.pair_passage[pair])
            for pair in random.choice(pairs, given, replace=False)
        ] + [
            (*sentence, passage)
            for passage in random.choice(passages, min(taken, len(passages)), replace=False)
            if (sentence := self._taken_sentence(passage)) is not None
        ]
        queries, texts, numbers = zip(*((q, d, n) for q, d, n in chosen if len(q) > 0 and len(d) > 0))
        return list(queries), list(texts), np.array(numbers)

    def _pool(self) -> tuple[np.ndarray, np.ndarray]:
        examples = self._examples
        everything = np.arange(len(examples.pair_source)), np.arange(len(examples.passage_source))
        if self._random.random() >= self._settings.one_source:
            return everything
        source = self._random.choice(len(self._chances), p=self._chances)
        pairs = np.flatnonzero(examples.pair_source == source)
        if len(pairs) < self._settings.batch:
            return everything
        return pairs, np.flatnonzero(examples.passage_source == source)

    def _given_pair(self, pair: int) -> tuple[np.ndarray, np.ndarray]:
        query = self._examples.queries.text(self._examples.pair_query[pair])
        passage = self._examples.passages.text(self._examples.pair_passage[pair])
        headed = len(passage) > 2 * len(query) and np.array_equal(passage[: len(query)], query)
        if headed and self._random.random() < DROP_HEADING:
            passage = passage[len(query) :]
        return query, self._crop(passage)

    def _taken_sentence(self, number: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Makes a sentence the query for the text around it (inverse cloze: Lee et al., "Latent Retrieval", 2019)."""
        passages = self._examples.passages
        fit = [(start, end) for start, end in passages.sentences(number) if end - start >= SHORTEST_SENTENCE]
        if len(fit) < 2:
            return None
        start, end = fit[self._random.integers(len(fit))]
        tokens = passages.text(number)
        keep = self._random.random() < KEEP_SENTENCE
        around = tokens if keep else np.concatenate([tokens[:start], tokens[end:]])
        return tokens[start:end], self._crop(around)

    def _crop(self, tokens: np.ndarray) -> np.ndarray:
        if len(tokens) <= CROPPED_TOKENS or self._random.random() >= CROP:
            return tokens
        start = self._random.integers(len(tokens) - CROPPED_TOKENS + 1)
        return tokens[start : start + CROPPED_TOKENS]
