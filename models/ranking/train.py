"""Chooses the weights of the second stage on the features of `export.ts`, and reports the contribution of each feature.

Every source is a set of questions with their candidates. A page's score is its evidence plus the weighted sum of its features.
Weights are chosen by coordinate ascent, starting from those that were confirmed on other collections (`settings.py`), so that
a feature about which the questions tell nothing keeps its weight. The quality of such weights on a new source is measured by
leaving each source out in turn.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from settings import FEATURES, LEAST_GAIN, ROUNDS, START, STEPS

DEPTH = 10
SHOWN = 5
_DISCOUNTS = 1 / np.log2(np.arange(DEPTH) + 2)


@dataclass(frozen=True)
class Question:
    """Candidates of one question: a row of features for each, its evidence first."""

    rows: np.ndarray
    is_answer: np.ndarray
    answers: int


Sources = dict[str, list[Question]]


def read_questions(path: Path) -> list[Question]:
    with path.open(encoding="utf-8") as file:
        return [_question(json.loads(line)) for line in file]


def _question(line: dict) -> Question:
    read = [one for one in line["candidates"] if "features" in one]
    return Question(
        rows=np.array([[one["evidence"], *(one["features"][name] for name in FEATURES)] for one in read]).reshape(
            len(read), 1 + len(FEATURES)
        ),
        is_answer=np.array([float(one["isAnswer"]) for one in read]),
        answers=line["answers"],
    )


def quality(questions: list[Question], weights: np.ndarray) -> tuple[float, float]:
    """nDCG@10 and recall@5, in per cent."""
    gain, recall = 0.0, 0.0
    for question in questions:
        order = np.argsort(-score(question.rows, weights), kind="stable")[:DEPTH]
        found = question.is_answer[order]
        gain += (found * _DISCOUNTS[: len(found)]).sum() / _DISCOUNTS[: min(DEPTH, question.answers)].sum()
        recall += found[:SHOWN].sum() / question.answers
    return 100 * gain / len(questions), 100 * recall / len(questions)


def score(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return rows[:, 0] + rows[:, 1:] @ weights


def objective(sources: Sources, weights: np.ndarray) -> float:
    """The mean over the sources of nDCG@10 and half of recall@5."""
    return float(np.mean([gain + recall / 2 for gain, recall in (quality(some, weights) for some in sources.values())]))


def choose(sources: Sources) -> np.ndarray:
    weights = START.copy()
    best = objective(sources, weights)
    for _ in range(ROUNDS):
        for place, steps in enumerate(STEPS):
            tried = [(objective(sources, _with(weights, place, value)), value) for value in steps if value != weights[place]]
            found, value = max(tried)
            if found > best + LEAST_GAIN:
                best, weights = found, _with(weights, place, value)
    return weights


def _with(weights: np.ndarray, place: int, value: float) -> np.ndarray:
    changed = weights.copy()
    changed[place] = value
    return changed


def _row(name: str, *cells: str) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"


def _shown(figures: tuple[float, float]) -> str:
    return f"{figures[0]:.1f} / {figures[1]:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("features", type=Path, help="folder of *.jsonl, one for each source")
    parser.add_argument("--out", type=Path, help="weights as JSON")
    parser.add_argument("--examples", type=Path, help="pages with their features and scores as JSON, for ranker.test.ts")
    options = parser.parse_args()
    sources = {path.stem: read_questions(path) for path in sorted(options.features.glob("*.jsonl"))}
    weights = choose(sources)

    print(_row("source", "evidence alone", "starting weights", "chosen on the others", "chosen on all"))
    print("|---" * 5 + "|")
    for name, questions in sources.items():
        others = choose({other: some for other, some in sources.items() if other != name})
        tried = (np.zeros(len(FEATURES)), START, others, weights)
        print(_row(name, *(_shown(quality(questions, one)) for one in tried)), flush=True)
    print("\n" + _row("left out", "weight", *sources))
    print("|---" * (2 + len(sources)) + "|")
    for place, name in enumerate(FEATURES):
        fewer = _with(weights, place, 0)
        cells = [f"{quality(some, fewer)[0] - quality(some, weights)[0]:+.2f}" for some in sources.values()]
        print(_row(name, f"{weights[place]:g}", *cells))
    if options.out is not None:
        options.out.write_text(json.dumps(dict(zip(FEATURES, weights.tolist())), indent=2) + "\n", encoding="utf-8")
    if options.examples is not None:
        options.examples.write_text(json.dumps(_examples(sources, weights), indent=1) + "\n", encoding="utf-8")


def _examples(sources: Sources, weights: np.ndarray) -> dict:
    """The first three pages of the first two questions of each source."""
    pages = [row for questions in sources.values() for question in questions[:2] for row in question.rows[:3]]
    return {
        "weights": dict(zip(FEATURES, weights.tolist())),
        "pages": [
            {"evidence": row[0], "features": dict(zip(FEATURES, row[1:].tolist())), "score": float(score(row[None], weights)[0])}
            for row in pages
        ],
    }


if __name__ == "__main__":
    main()
