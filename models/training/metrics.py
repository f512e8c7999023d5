"""The quality of rankings, in per cent, as means over the queries."""

import numpy as np

from corpus import EvaluationSet

DEPTH = 10


def quality(scores: np.ndarray, wanted: EvaluationSet) -> dict[str, float]:
    """nDCG@10 and MRR@10 (binary relevance), recall at 1, 5 and 10; equal scores rank in the order of the documents."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :DEPTH]
    hits = np.array([[d in gold for d in row] for row, gold in zip(order.tolist(), wanted.relevant)], dtype=np.float64)
    golds = np.array([len(gold) for gold in wanted.relevant])
    discounts = 1 / np.log2(np.arange(2, DEPTH + 2))
    ideal = np.cumsum(discounts)[np.minimum(golds, DEPTH) - 1]
    first = np.where(hits.any(axis=1), 1 / (1 + hits.argmax(axis=1)), 0)
    values = {
        "nDCG@10": (hits * discounts).sum(axis=1) / ideal,
        "recall@1": hits[:, :1].sum(axis=1) / golds,
        "recall@5": hits[:, :5].sum(axis=1) / golds,
        "recall@10": hits.sum(axis=1) / golds,
        "MRR@10": first,
    }
    return {name: 100 * float(per_query.mean()) for name, per_query in values.items()}
