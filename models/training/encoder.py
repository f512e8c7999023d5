"""Encodes pages and queries with tokenizer and graph, by the rules of the service."""

from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from bags import PartSize, spans_of, weights_of
from vocabulary import tokens_of

MOST_IN_ONE_CALL = 32


class Encoder:
    """Loads the trained files in `folder`; `threads` is the number of threads of the graph."""

    def __init__(self, folder: Path, parts: PartSize, threads: int = 1) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(str(folder / "text.onnx"), options, ["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._parts = parts

    def queries(self, texts: list[str]) -> np.ndarray:
        return self._embed(tokens_of(self._tokenizer, texts))

    def documents(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Returns all vectors of all documents, and the index of each document's first vector, which represents all of it."""
        tokens = tokens_of(self._tokenizer, texts)
        whole = self._embed(tokens)
        spans = [spans_of(len(text), self._parts) for text in tokens]
        parts = self._embed([text[start:end] for text, own in zip(tokens, spans) for start, end in own])
        counts = np.array([len(own) for own in spans])
        owner = np.repeat(np.arange(len(texts)), counts)
        parts = parts + self._parts.whole * whole[owner]
        parts /= np.maximum(np.linalg.norm(parts, axis=1, keepdims=True), 1e-9)
        firsts = np.concatenate([[0], np.cumsum(1 + counts)[:-1]])
        vectors = np.empty((len(whole) + len(parts), whole.shape[1]), dtype=np.float32)
        is_first = np.zeros(len(vectors), dtype=bool)
        is_first[firsts] = True
        vectors[is_first] = whole
        vectors[~is_first] = parts
        return vectors, firsts

    def _embed(self, texts: list[np.ndarray]) -> np.ndarray:
        dimensions = self._session.get_outputs()[0].shape[1]
        vectors = np.zeros((len(texts), dimensions), dtype=np.float32)
        # Texts of similar length are processed together, because all texts of a call are padded to the longest.
        by_length = np.argsort([len(text) for text in texts], kind="stable")
        order = [number for number in by_length if len(texts[number]) > 0]
        for start in range(0, len(order), MOST_IN_ONE_CALL):
            chosen = order[start : start + MOST_IN_ONE_CALL]
            length = len(texts[chosen[-1]])
            ids = np.zeros((len(chosen), length), dtype=np.int64)
            weights = np.zeros((len(chosen), length), dtype=np.float32)
            for row, number in enumerate(chosen):
                ids[row, : len(texts[number])] = texts[number]
                weights[row, : len(texts[number])] = weights_of(texts[number])
            vectors[chosen] = self._session.run(["embedding"], {"ids": ids, "weights": weights})[0]
        return vectors


def best_of_vectors(queries: np.ndarray, vectors: np.ndarray, firsts: np.ndarray) -> np.ndarray:
    """Returns the cosine of each query with the nearest vector of each document."""
    return np.maximum.reduceat(queries @ vectors.T, firsts, axis=1)
