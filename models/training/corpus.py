"""The texts: pairs for training, and the sets that are used only for evaluation."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Pair:
    """A query and the passage that answers it; `source` is the file that it came from."""

    query: str
    passage: str
    source: str


@dataclass(frozen=True)
class EvaluationSet:
    """Queries, documents, and the numbers of the documents that answer each query."""

    name: str
    queries: list[str]
    documents: list[str]
    relevant: list[frozenset[int]]


def read_pairs(data: Path, skipped: frozenset[str] = frozenset()) -> list[Pair]:
    """Reads all pairs of `data/pairs/*.jsonl.gz`, files in the order of their names, without the sources in `skipped`."""
    return [
        Pair(query=record["q"].strip(), passage=record["d"].strip(), source=source)
        for path in sorted((data / "pairs").glob("*.jsonl.gz"))
        if (source := path.name.removesuffix(".jsonl.gz")) not in skipped
        for record in _records(path)
    ]


def read_evaluation_sets(data: Path) -> list[EvaluationSet]:
    """Reads the four sets of the table: XQuAD, TAT-QA, Cranfield, and the docs of four repositories searched as one."""
    folder = data / "eval"
    repositories = ("basecamp", "govuk", "handbook", "prometheus")
    return [
        set_of_pairs("xquad", _records(folder / "xquad.jsonl.gz")),
        set_of_pairs("tatqa", _records(folder / "tatqa.jsonl.gz")),
        _cranfield(folder / "cranfield.json.gz"),
        set_of_pairs("repositories", [r for name in repositories for r in _records(folder / f"{name}.jsonl.gz")]),
    ]


def held_out_set(data: Path, source: str, most: int) -> EvaluationSet:
    """Reads the first `most` pairs of a training file, for evaluation on a source that is not in the training data."""
    return set_of_pairs(source, _records(data / "pairs" / f"{source}.jsonl.gz")[:most])


def set_of_pairs(name: str, records: list[dict]) -> EvaluationSet:
    """Makes one query of each record; equal documents are one document."""
    numbers: dict[str, int] = {}
    relevant = [frozenset([numbers.setdefault(record["d"], len(numbers))]) for record in records]
    return EvaluationSet(name, [record["q"] for record in records], list(numbers), relevant)


def _cranfield(path: Path) -> EvaluationSet:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        content = json.load(file)
    return EvaluationSet(
        name="cranfield",
        queries=[query["q"] for query in content["q"]],
        documents=content["docs"],
        relevant=[frozenset(query["gold"]) for query in content["q"]],
    )


def _records(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
