"""The order in which things are measured."""

import dataclasses
from collections.abc import Callable, Iterable


@dataclasses.dataclass(frozen=True)
class Effort:
    """How much of it. `short`: just to see that it runs."""

    rounds: int | None = None  # None: as many as the scenario wants.
    short: bool = False

    def rounds_or(self, wanted: int) -> int:
        return self.rounds or wanted

    def seconds(self, wanted: float) -> float:
        return min(wanted, 0.05) if self.short else wanted

    def count(self, wanted: int) -> int:
        return min(wanted, 5) if self.short else wanted


def interleave(rounds: int, measurements: Iterable[Callable[[], None]]) -> None:
    """A B C, C B A, A B C, …: where the machine becomes slower meanwhile, it does so for all."""
    order = list(measurements)
    for number in range(rounds):
        for measure in order if number % 2 == 0 else reversed(order):
            measure()
