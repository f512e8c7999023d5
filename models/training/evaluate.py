"""
python evaluate.py --data DIR --out DIR

Measures tokenizer.json and text.onnx of the out folder on the evaluation sets beside BM25, and writes evaluation.json
and evaluation.md there. The weights of the fusion are chosen on these sets; "weight elsewhere chosen" is the
honest figure: each set with the weight that is best on the three others.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from corpus import EvaluationSet, held_out_set, read_evaluation_sets
from encoder import Encoder, best_of_vectors
from fusion import Fusion, by_z_scores, evidence, fit_calibration
from lexical import Bm25
from settings import Settings

MEASURE = "nDCG@10"
DEPTH = 10
FUSIONS = {
    "log": [Fusion("log", weight) for weight in (0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 6)],
    "sqrt": [Fusion("sqrt", weight) for weight in (2, 3, 4, 5, 6, 7, 8, 10, 12)],
    "linear": [Fusion("linear", weight) for weight in (5, 10, 20, 30, 40, 50, 60)],
}
Z_WEIGHTS = (0.25, 0.5, 0.75, 1, 1.25, 1.5, 2)
MOST_HELD_OUT = 4000

Scores = dict[str, tuple[np.ndarray, np.ndarray]]
Figures = dict[str, dict[str, float]]


def main() -> None:
    arguments = argparse.ArgumentParser(description="measure the dense text space beside and together with BM25")
    arguments.add_argument("--data", type=Path, required=True, help="folder with eval/ and pairs/")
    arguments.add_argument("--out", type=Path, required=True, help="folder with tokenizer.json and text.onnx")
    arguments.add_argument("--held-out", action="append", default=[], help="a source that was left out of training")
    given = arguments.parse_args()

    sets = read_evaluation_sets(given.data)
    further = [held_out_set(given.data, source, MOST_HELD_OUT) for source in given.held_out]
    encoder = Encoder(given.out, Settings().parts)
    scores = {wanted.name: _scores(encoder, wanted) for wanted in sets + further}
    report = _report(sets, further, scores)
    (given.out / "evaluation.json").write_text(json.dumps(report, indent=2) + "\n")
    table = _markdown(report)
    (given.out / "evaluation.md").write_text(table)
    print(table)


def _scores(encoder: Encoder, wanted: EvaluationSet) -> tuple[np.ndarray, np.ndarray]:
    lexical = Bm25(wanted.documents).scores(wanted.queries)
    return lexical, best_of_vectors(encoder.queries(wanted.queries), *encoder.documents(wanted.documents))


def _report(sets: list[EvaluationSet], further: list[EvaluationSet], scores: Scores) -> dict:
    every = sets + further
    z_fused = {w: _figures(sets, {s.name: by_z_scores(*scores[s.name], w) for s in sets}) for w in Z_WEIGHTS}
    z_weight = max(Z_WEIGHTS, key=lambda w: _mean(z_fused[w]))
    figures = {
        "BM25": _figures(every, {s.name: scores[s.name][0] for s in every}),
        "dense": _figures(every, {s.name: scores[s.name][1] for s in every}),
        "fused by z-scores": _figures(every, {s.name: by_z_scores(*scores[s.name], z_weight) for s in every}),
    }
    calibrations = {}
    for curve, candidates in FUSIONS.items():
        fused = {f: _figures(sets, {s.name: evidence(*scores[s.name], f) for s in sets}) for f in candidates}
        best = max(candidates, key=lambda f: _mean(fused[f]))
        figures[f"fused, {curve}"] = _figures(every, {s.name: evidence(*scores[s.name], best) for s in every})
        figures[f"fused, {curve}, weight elsewhere chosen"] = {
            wanted.name: fused[
                max(candidates, key=lambda f: sum(fused[f][s.name][MEASURE] for s in sets if s is not wanted))
            ][wanted.name]
            for wanted in sets
        }
        calibration = fit_calibration([(evidence(*scores[s.name], best), s.relevant) for s in sets])
        calibrations[curve] = {"weight": best.weight, "odds": asdict(calibration)}
    return {
        "z_weight": z_weight,
        "calibrations": calibrations,
        "figures": figures,
        "sets": [s.name for s in sets],
        "held out": [s.name for s in further],
    }


def _figures(sets: list[EvaluationSet], scores: dict[str, np.ndarray]) -> Figures:
    return {s.name: {name: round(value, 2) for name, value in quality(scores[s.name], s).items()} for s in sets}


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


def _mean(figures: Figures) -> float:
    return float(np.mean([figure[MEASURE] for figure in figures.values()]))


def _markdown(report: dict) -> str:
    sets, further = report["sets"], report["held out"]
    lines = [f"{MEASURE}; weight by z-scores {report['z_weight']}; {json.dumps(report['calibrations'])}", ""]
    lines += ["| ranking | " + " | ".join(sets) + " | mean | " + "".join(f"{name} (held out) | " for name in further)]
    lines += ["|---" * (len(sets) + len(further) + 2) + "|"]
    for name, figures in report["figures"].items():
        cells = [f"{figures[s][MEASURE]:.1f}" for s in sets]
        cells.append(f"{np.mean([figures[s][MEASURE] for s in sets]):.2f}")
        cells += [f"{figures[s][MEASURE]:.1f}" if s in figures else "" for s in further]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "| ranking | set | " + " | ".join(report["figures"]["BM25"][sets[0]]) + " |", "|---" * 7 + "|"]
    for name, figures in report["figures"].items():
        for s, measures in figures.items():
            lines.append(f"| {name} | {s} | " + " | ".join(f"{value:.1f}" for value in measures.values()) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
