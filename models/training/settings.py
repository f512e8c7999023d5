"""Every number of the recipe."""

from dataclasses import dataclass, field

from bags import PartSize


@dataclass(frozen=True)
class Settings:
    seed: int = 1
    # Tokens before the foreign letters; forms of a word share a row, so the table has about 0.8 rows for each.
    vocabulary: int = 28_000
    dimensions: int = 1024
    # Rows start as long as idf to this power: 0.5 ranks best, since it counts on both sides of a product.
    idf_power: float = 0.5
    # Length of what the teacher says of a word beside the word's own random direction.
    meaning: float = 0.7

    steps: int = 200
    warm_up: int = 20
    batch: int = 2048
    learning_rate: float = 0.005
    # Cosines are multiplied by this before the softmax.
    scale: float = 20
    # Share of the examples that are sentences taken out of passages rather than given pairs.
    taken: float = 0.5
    # In so many of the batches the vectors only have to add to what BM25 has found, which counts as in the fusion.
    beside_words: float = 0.5
    words_weight: float = 5.7
    # Share of the batches that come from one source, whose passages are harder to tell apart.
    one_source: float = 0.5

    # How much neighbouring words count beside the words alone, and idf's power in each of the two.
    pairs: float = 0.6
    pair_power: float = 0.375

    parts: PartSize = field(default_factory=PartSize)
