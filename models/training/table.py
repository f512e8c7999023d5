"""
The table of token vectors while it is trained: a text is the sum of its words' rows, each times its weight. Pairs of
neighbouring words come in with the graph; training with them was no better and took three times as long.
"""

import numpy as np
import torch
import torch.nn.functional as functional

from settings import Settings
from vocabulary import FOREIGN_ROWS

# The frequency of foreign letters is unknown; this is the idf of a word that one text in 150 has.
FOREIGN_IDF = 5.0


def idf_of_rows(texts: list[np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Returns ln(texts / texts with the row)."""
    owner = np.repeat(np.arange(len(texts), dtype=np.int64), [len(text) for text in texts])
    seen = np.unique(owner << 32 | rows[np.concatenate(texts)])
    frequency = np.bincount(seen & 0xFFFFFFFF, minlength=rows.max() + 1)
    idf = np.log((len(texts) + 1) / (frequency + 1)).clip(min=0.1).astype(np.float32)
    idf[:FOREIGN_ROWS] = FOREIGN_IDF
    return idf


def start_table(idf: np.ndarray, meaning: np.ndarray, settings: Settings) -> torch.Tensor:
    """
    Random directions whose length grows with the rarity of the token: texts then match by the words that they share, as by a
    random projection of tf-idf. The meanings of the words are added in separate dimensions.
    """
    random = torch.Generator().manual_seed(settings.seed)
    own = settings.dimensions - meaning.shape[1]
    directions = torch.randn(len(idf), own, generator=random) / own**0.5
    both = torch.cat([directions, settings.meaning * torch.from_numpy(meaning)], dim=1)
    return both * torch.from_numpy(idf**settings.idf_power)[:, None]


def embed(table: torch.Tensor, texts: list[np.ndarray], rows: np.ndarray) -> torch.Tensor:
    """Returns unit vectors of texts as bags of words; the zero vector for a text without tokens."""
    owner = np.repeat(np.arange(len(texts), dtype=np.int64), [len(text) for text in texts])
    keys, counts = np.unique(owner << 32 | np.concatenate(texts), return_counts=True)
    sums = functional.embedding_bag(
        torch.from_numpy(rows[keys & 0xFFFFFFFF].astype(np.int64)),
        table,
        torch.from_numpy(np.searchsorted(keys >> 32, np.arange(len(texts)))),
        mode="sum",
        per_sample_weights=torch.from_numpy((1 + np.log(counts)).astype(np.float32)),
    )
    return functional.normalize(sums, dim=1)
