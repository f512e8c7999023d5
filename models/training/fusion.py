"""Fuses words and meaning into one ranking, by per-query z-scores and as the service does, and calibrates the latter."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

# Number of hits that the service requests from each space.
CANDIDATES = 100
# Ranks, from 0, whose mean evidence is that of irrelevant documents.
BACKGROUND = slice(5, 20)

CURVES = {"linear": np.asarray, "log": np.log1p, "sqrt": np.sqrt}


@dataclass(frozen=True)
class Fusion:
    """The curve of BM25 (itself, ln(1 + BM25) or its root), and the weight of the cosine."""

    curve: Literal["linear", "log", "sqrt"]
    weight: float


def by_z_scores(lexical: np.ndarray, dense: np.ndarray, weight: float) -> np.ndarray:
    return _standardised(lexical) + weight * _standardised(dense)


def evidence(lexical: np.ndarray, dense: np.ndarray, fusion: Fusion) -> np.ndarray:
    """Returns the curve of BM25 plus weight · cosine over the first hundred of each: the ranking of the service."""
    words = CURVES[fusion.curve](lexical)
    return _first_hundred(words) + fusion.weight * _first_hundred(dense)


@dataclass(frozen=True)
class Calibration:
    """log-odds = offset + slope · e + prominence · (e − its mean at ranks 6 to 20); `usual`: that mean."""

    offset: float
    slope: float
    prominence: float
    usual: float


def fit_calibration(rankings: list[tuple[np.ndarray, list[frozenset[int]]]]) -> Calibration:
    """
    Fits a logistic regression (Newton's method) over the first 20 documents of each query; every set has the same weight.
    `rankings` are evidence and relevant documents of each set.
    """
    features, targets, weights, usual = [], [], [], []
    for values, relevant in rankings:
        order = np.argsort(-values, axis=1, kind="stable")[:, : BACKGROUND.stop]
        ranked = np.take_along_axis(values, order, axis=1)
        background = ranked[:, BACKGROUND].mean(axis=1, keepdims=True)
        hits = [[document in gold for document in row] for row, gold in zip(order.tolist(), relevant)]
        features.append(np.stack([np.ones_like(ranked), ranked, ranked - background], axis=-1).reshape(-1, 3))
        targets.append(np.array(hits, dtype=np.float64).ravel())
        weights.append(np.full(ranked.size, 1 / ranked.size))
        usual.append(background.mean())
    x, y, w = np.concatenate(features).astype(np.float64), np.concatenate(targets), np.concatenate(weights)
    coefficients = np.zeros(3)
    for _ in range(50):
        probability = 1 / (1 + np.exp(-x @ coefficients))
        gradient = x.T @ (w * (y - probability)) - 1e-6 * coefficients
        curvature = (x * (w * probability * (1 - probability))[:, None]).T @ x + 1e-6 * np.eye(3)
        coefficients += np.linalg.solve(curvature, gradient)
    offset, slope, prominence = coefficients.tolist()
    return Calibration(offset, slope, prominence, float(np.mean(usual)))


def _standardised(scores: np.ndarray) -> np.ndarray:
    deviation = np.maximum(scores.std(axis=1, keepdims=True), 1e-9)
    return (scores - scores.mean(axis=1, keepdims=True)) / deviation


def _first_hundred(scores: np.ndarray) -> np.ndarray:
    """Gives documents after the hundredth hit the score of that hit."""
    if scores.shape[1] <= CANDIDATES:
        return scores
    return np.maximum(scores, -np.partition(-scores, CANDIDATES - 1, axis=1)[:, CANDIDATES - 1 : CANDIDATES])
