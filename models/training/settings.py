"""All hyperparameters of the training."""

from dataclasses import dataclass, field

from bags import PartSize


@dataclass(frozen=True)
class Settings:
    seed: int = 1
    # Tokens without the foreign letters; forms of a word share a row, so the table has about 0.8 rows for each.
    vocabulary: int = 28_000
    dimensions: int = 1024
    # The initial length of rows is idf to this power: 0.5 ranks best, since it counts on both sides of a product.
    idf_power: float = 0.5
    # Length of the teacher's vector of a word, relative to the word's own random direction.
    meaning: float = 0.7

    steps: int = 200
    warm_up: int = 20
    batch: int = 2048
    learning_rate: float = 0.005
    # Cosines are multiplied by this before the softmax.
    scale: float = 20
    # Share of the examples that are sentences taken out of passages instead of pairs.
    taken: float = 0.5
    # Share of the batches in which the vectors only have to improve on BM25, which counts as in the fusion.
    beside_words: float = 0.5
    words_weight: float = 5.7
    # Share of the batches from one source, whose passages are harder to distinguish.
    one_source: float = 0.5

    # The weight of adjacent words relative to single words, and the power of idf in each of the two.
    pairs: float = 0.6
    pair_power: float = 0.375

    parts: PartSize = field(default_factory=PartSize)
