"""What a scenario measured, round by round, and what must hold of it."""

import dataclasses
import math
import statistics
from collections.abc import Callable


@dataclasses.dataclass
class Figure:
    """One thing that was measured once in each round."""

    name: str
    unit: str
    rounds: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    def to_json(self) -> dict:
        return {
            "name": self.name,
            "unit": self.unit,
            "median": round(self.median, 6),
            "min": round(min(self.rounds), 6),
            "max": round(max(self.rounds), 6),
        }


def confidence_interval(values: list[float]) -> tuple[float, float]:
    """Of the median, 95 %, by order statistics: no assumption about how the values scatter. With
    less than six values there is none, and it is their whole range."""
    ordered = sorted(values)
    count = len(ordered)
    rank, below = 0, 0.5**count  # The chance that at most `rank` of them are below the median.
    while rank + 1 < count / 2 and 2 * (below + math.comb(count, rank + 1) * 0.5**count) <= 0.05:
        rank += 1
        below += math.comb(count, rank) * 0.5**count
    return ordered[rank], ordered[count - 1 - rank]


@dataclasses.dataclass
class Target:
    """What the rounds are held against."""

    text: str
    is_met: Callable[[list[float]], bool]

    def __str__(self) -> str:
        return self.text


def at_least(bound: float, confident: bool = False) -> Target:
    """Of the median; `confident`: of all of its 95 % confidence interval."""
    if confident:
        return Target(
            f">= {bound:g} (95 % interval)", lambda values: confidence_interval(values)[0] >= bound
        )
    return Target(f">= {bound:g}", lambda values: statistics.median(values) >= bound)


def at_most(bound: float, confident: bool = False) -> Target:
    if confident:
        return Target(
            f"<= {bound:g} (95 % interval)", lambda values: confidence_interval(values)[1] <= bound
        )
    return Target(f"<= {bound:g}", lambda values: statistics.median(values) <= bound)


def not_below(bound: float) -> Target:
    """No loss can be told from chance: the 95 % confidence interval reaches up to the bound."""
    return Target(
        f"{bound:g} within the 95 % interval or below it",
        lambda values: confidence_interval(values)[1] >= bound,
    )


@dataclasses.dataclass
class Ratio(Figure):
    """What is compared with a target: the quotient or the difference of two figures of the same
    round, or a figure itself."""

    target: Target | None = None

    @property
    def is_met(self) -> bool | None:
        return None if self.target is None else self.target.is_met(self.rounds)

    def to_json(self) -> dict:
        low, high = confidence_interval(self.rounds)
        return {
            **super().to_json(),
            "low": round(low, 6),
            "high": round(high, 6),
            "target": None if self.target is None else str(self.target),
            "met": self.is_met,
        }


class Report:
    """Filled by a scenario while it measures."""

    def __init__(self, scenario: str, what: str):
        self.scenario = scenario
        self.what = what
        self.figures: dict[str, Figure] = {}
        self.ratios: list[Ratio] = []
        self.peers: list[str] = []  # Their command lines.

    def add(self, name: str, unit: str, value: float) -> None:
        """What a round measured. Each name once in every round."""
        self.figures.setdefault(name, Figure(name, unit, [])).rounds.append(value)

    def add_peer(self, command: list[str]) -> None:
        line = " ".join(command)
        if line not in self.peers:
            self.peers.append(line)

    def greatest(self, *names: str) -> str:
        """Of these figures the one with the greatest median: of a peer's settings the best."""
        return max(names, key=lambda name: self.figures[name].median)

    def quotient(self, name: str, over: str, under: str, target: Target | None = None) -> None:
        pairs = zip(self.figures[over].rounds, self.figures[under].rounds)
        rounds = [a / b if b > 0 else math.inf for a, b in pairs]
        self.ratios.append(Ratio(name, "", rounds, target))

    def add_quotient(self, name: str, value: float, target: Target | None = None) -> None:
        """Of two things that a round measured one directly after the other."""
        for ratio in self.ratios:
            if ratio.name == name:
                ratio.rounds.append(value)
                return
        self.ratios.append(Ratio(name, "", [value], target))

    def difference(self, name: str, of: str, less: str, target: Target | None = None) -> None:
        pairs = zip(self.figures[of].rounds, self.figures[less].rounds)
        unit = self.figures[of].unit
        self.ratios.append(Ratio(name, unit, [a - b for a, b in pairs], target))

    def bound(self, name: str, target: Target) -> None:
        figure = self.figures[name]
        self.ratios.append(Ratio(name, figure.unit, figure.rounds, target))

    def to_json(self) -> dict:
        return {
            "scenario": self.scenario,
            "what": self.what,
            "rounds": max(len(compared.rounds) for compared in self.ratios),
            "results": [figure.to_json() for figure in self.figures.values()],
            "ratios": [ratio.to_json() for ratio in self.ratios],
            "peers": self.peers,
        }
