"""Single packets, timed."""

import dataclasses
import json

from harness.bed import Bed
from harness.cpu import program


@dataclasses.dataclass
class Found:
    """Of the packets of one run."""

    microseconds: list[float]  # Sorted, without those that fell into a stall of the machine.
    stalled: int

    def percentile(self, percent: float) -> float:
        """0 where every packet fell into a stall."""
        if not self.microseconds:
            return 0
        return self.microseconds[int(percent / 100 * len(self.microseconds))]


def probe(bed: Bed, source: str, target: str, pause: float, count: int) -> Found:
    """Sends on one device so many packets, each after a pause in milliseconds, and waits for it at
    the other. AssertionError where one is lost."""
    command = [
        program("traffic/probe"), source, target, f"--pause={round(pause * 1000)}",
        f"--count={count}", f"--process={bed.pid}", f"--worker={bed.worker}",
    ]
    found = json.loads(bed.namespace.run(" ".join(command)))
    if found["lost"]:
        raise AssertionError(f"{found['lost']} of {count} packets from {source} to {target} lost")
    times = zip(found["nanoseconds"], found["stalled"])
    return Found(
        sorted(nanoseconds / 1000 for nanoseconds, stalled in times if not stalled),
        sum(found["stalled"]),
    )
