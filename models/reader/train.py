"""
python train.py --data DIR --fonts DIR --out DIR

Trains the reader and writes `reader.onnx` and `reader.json`. DIR of the data has `pairs/*.jsonl.gz` with passages "d";
DIR of the fonts is the result of `make fonts`. Continues from `checkpoint.pt` in the output folder if it exists.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import multiprocessing as processes
from torch.nn.functional import ctc_loss

from alphabet import LETTERS
from examples import Batch, Drawings
from fonts import read_fonts
from graph import write_graph
from network import LineReader, log_likelihoods
from settings import Settings
from texts import read_texts

_SAVED_EVERY = 250


def main() -> None:
    arguments = argparse.ArgumentParser(description="train the reader of scans of the built-in pack")
    arguments.add_argument("--data", type=Path, required=True, help="folder with pairs/*.jsonl.gz")
    arguments.add_argument("--fonts", type=Path, required=True, help="folder of fonts")
    arguments.add_argument("--out", type=Path, required=True, help="folder for reader.onnx and reader.json")
    arguments.add_argument("--threads", type=int, default=1)
    given = arguments.parse_args()
    settings = Settings()
    torch.set_num_threads(given.threads)
    torch.manual_seed(settings.seed)
    given.out.mkdir(parents=True, exist_ok=True)
    reader = train(given.data, given.fonts, settings, given.out / "checkpoint.pt")
    write_graph(given.out, reader, settings.shape)


def train(data: Path, fonts: Path, settings: Settings, checkpoint: Path) -> LineReader:
    reader = LineReader(settings.shape, len(LETTERS) + 1).to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(reader.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay)
    first = 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        reader.load_state_dict(state["reader"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"]
    reader.train()
    began, heard = time.monotonic(), 0.0
    for step, batch in enumerate(supply(data, fonts, settings, first), start=first):
        if step >= settings.steps:
            break
        optimizer.param_groups[0]["lr"] = settings.learning_rate * pace(step, settings)
        loss = loss_of(reader, batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(reader.parameters(), 2.0)
        optimizer.step()
        heard = loss.item() if step == first else 0.98 * heard + 0.02 * loss.item()
        if (step + 1) % 50 == 0:
            print(f"step {step + 1}: loss {heard:.4f} a letter, {time.monotonic() - began:.0f} s", flush=True)
        if (step + 1) % _SAVED_EVERY == 0 or step + 1 == settings.steps:
            save(checkpoint, reader, optimizer, step + 1)
    return reader.eval()


def pace(step: int, settings: Settings) -> float:
    """Returns the factor of the learning rate, 0 to 1."""
    fall = (settings.steps - step) / (settings.steps * settings.falling)
    return min(1.0, (step + 1) / settings.warm_up, fall)


def loss_of(reader: LineReader, batch: Batch) -> torch.Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = reader(batch.lines)
    likelihoods = log_likelihoods(logits.float())
    steps = torch.full((likelihoods.shape[1],), likelihoods.shape[0])
    lost = ctc_loss(likelihoods, batch.letters, steps, batch.counts, reduction="sum", zero_infinity=True)
    return lost / batch.counts.sum()


def supply(data: Path, fonts: Path, settings: Settings, first: int) -> Iterator[Batch]:
    """Yields batches that are drawn in a separate process while the previous ones are trained on."""
    context = processes.get_context("spawn")
    queue: processes.Queue[Batch] = context.Queue(maxsize=48)
    artist = context.Process(target=fill, args=(queue, data, fonts, settings, first), daemon=True)
    artist.start()
    while True:
        yield queue.get()


def fill(queue: "processes.Queue[Batch]", data: Path, fonts: Path, settings: Settings, first: int) -> None:
    torch.set_num_threads(1)
    usable = [font for font in read_fonts(fonts) if font.family not in settings.held_out]
    drawings = Drawings(usable, read_texts(data, settings.passages), settings, settings.seed + first)
    step = first
    while True:
        grown = min(1.0, step / settings.growing)
        most = round(settings.shortest + grown * (settings.longest - settings.shortest))
        for batch in drawings.batches(most, settings.batch_columns):
            queue.put(batch)
            step += 1


def save(path: Path, reader: LineReader, optimizer: torch.optim.Optimizer, step: int) -> None:
    """Writes the file atomically."""
    unfinished = path.with_suffix(".part")
    torch.save({"reader": reader.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, unfinished)
    unfinished.replace(path)


if __name__ == "__main__":
    main()
