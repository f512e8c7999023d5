"""All hyperparameters of the training."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Shape:
    """The sizes of the graph. Lines have `height` rows; reading a dense page takes less than a second of one processor."""

    height: int = 24
    channels: tuple[int, int, int, int] = (24, 48, 64, 96)
    features: int = 192
    memory: int = 128
    dropout: float = 0.1


@dataclass(frozen=True)
class Settings:
    seed: int = 1
    shape: Shape = field(default_factory=Shape)
    # Columns of pixels in a batch, including padding: about 25 lines.
    batch_columns: int = 10_000
    learning_rate: float = 2e-3
    weight_decay: float = 1e-4
    steps: int = 4_000
    # The learning rate rises over the first steps and falls over the last share of them.
    warm_up: int = 200
    falling: float = 0.5
    # Lines begin with `shortest` characters and become longer: long ones teach nothing before letters are known.
    shortest: int = 8
    longest: int = 95
    growing: int = 500
    # Passages of each file of the data.
    passages: int = 4_000

    # Families that are used only for evaluation.
    held_out: tuple[str, ...] = ("Caladea", "Lato", "Vollkorn", "Go", "TeX Gyre Pagella", "Courier Prime")
