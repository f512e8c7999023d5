"""
python train.py --data DIR --out DIR

Trains tokenizer and table and writes them as `tokenizer.json` and `text.onnx`. DIR of the data has `pairs/*.jsonl.gz`,
lines of {"q": query, "d": passage}. Fixed seeds; a file PAUSE in the output folder halts it between two steps.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as functional

from corpus import read_pairs
from examples import Batches, Examples, examples_of
from graph import write_graph
from lexical import Bm25Batch
from settings import Settings
from table import embed, idf_of_rows, start_table
from teacher import Teacher, meaning_of_rows
from vocabulary import rows_of, spelt_rows, train_tokenizer


def main() -> None:
    arguments = argparse.ArgumentParser(description="train the dense text space of the built-in pack")
    arguments.add_argument("--data", type=Path, required=True, help="folder with pairs/*.jsonl.gz")
    arguments.add_argument("--out", type=Path, required=True, help="folder for tokenizer.json and text.onnx")
    arguments.add_argument("--without", action="append", default=[], help="a source to leave out, to measure on it")
    arguments.add_argument("--threads", type=int, default=1)
    given = arguments.parse_args()
    settings = Settings()
    torch.set_num_threads(given.threads)
    torch.manual_seed(settings.seed)
    given.out.mkdir(parents=True, exist_ok=True)

    pairs = read_pairs(given.data, frozenset(given.without))
    # Sorted, without duplicates, so that the same texts always give the same vocabulary.
    tokenizer = train_tokenizer(sorted({text for p in pairs for text in (p.query, p.passage)}), settings.vocabulary)
    tokenizer.save(str(given.out / "tokenizer.json"), pretty=False)
    rows = rows_of(tokenizer)
    examples = examples_of(tokenizer, pairs)
    idf = idf_of_rows(examples.passages.all(), rows)
    print(f"{len(pairs)} pairs, {len(rows)} tokens, {len(idf)} rows", flush=True)

    pair_gains = idf**settings.pair_power * spelt_rows(tokenizer, rows)
    meaning = meaning_of_rows(Teacher(), tokenizer, rows)
    table = train(examples, rows, start_table(idf, meaning, settings), Bm25Batch(rows, idf), settings, pause=given.out / "PAUSE")
    write_graph(given.out / "text.onnx", table.numpy(), rows, pair_gains, settings.pairs)


def train(
    examples: Examples, rows: np.ndarray, start: torch.Tensor, words: Bm25Batch, settings: Settings, pause: Path
) -> torch.Tensor:
    """Contrastive training: each query has to find its passage among those of its batch, and vice versa."""
    table = torch.nn.Parameter(start)
    random = np.random.default_rng(settings.seed)
    optimizer = torch.optim.Adam([table], lr=settings.learning_rate, fused=True)
    batches = Batches(examples, settings)
    began = time.monotonic()
    for step in range(settings.steps):
        while pause.exists():
            time.sleep(5)
        rise, fall = (step + 1) / settings.warm_up, 1 - step / settings.steps
        optimizer.param_groups[0]["lr"] = settings.learning_rate * min(1, rise) * fall
        queries, passages, numbers = batches.next()
        similarity = settings.scale * embed(table, queries, rows) @ embed(table, passages, rows).T
        if random.random() < settings.beside_words:
            similarity = similarity + settings.words_weight * torch.from_numpy(np.log1p(words.scores(queries, passages)))
        # The same passage twice in a batch is not a wrong answer.
        twins = torch.from_numpy(numbers[:, None] == numbers[None, :]).fill_diagonal_(False)
        similarity = similarity.masked_fill(twins, -torch.inf)
        right = torch.arange(len(numbers))
        loss = (functional.cross_entropy(similarity, right) + functional.cross_entropy(similarity.T, right)) / 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if (step + 1) % 20 == 0:
            print(f"step {step + 1}: loss {loss.item():.3f}, {time.monotonic() - began:.0f} s", flush=True)
    return table.detach()


if __name__ == "__main__":
    main()
