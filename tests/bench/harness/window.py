"""What happened between two looks at the counters."""

import dataclasses
import time
from typing import Protocol


@dataclasses.dataclass
class Look:
    """The counters at one moment."""

    seconds: float  # On the monotonic clock.
    # Seconds for which each thread that matters had to wait for its CPU, so far.
    waited: tuple[float, ...]
    received: dict[str, int]  # Packets by port.
    sent: dict[str, int]
    iterations: int = 0


class Window:
    """The difference of two. Time does not count in which others had the CPU of the polling thread
    or of the sender, whichever had to wait longer: it shows what else the machine does."""

    def __init__(self, before: Look, after: Look):
        waited = max(last - first for first, last in zip(before.waited, after.waited))
        self.seconds = after.seconds - before.seconds - waited
        self.received = self._differences(before.received, after.received)
        self.sent = self._differences(before.sent, after.sent)
        self.iterations = after.iterations - before.iterations

    @staticmethod
    def _differences(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
        return {port: count - before.get(port, 0) for port, count in after.items()}

    def received_rate(self, port: str) -> float:
        """Million packets a second."""
        return self.received[port] / self.seconds / 1e6

    def sent_rate(self, port: str) -> float:
        return self.sent[port] / self.seconds / 1e6

    @property
    def nanoseconds_each_turn(self) -> float:
        return 1e9 * self.seconds / max(self.iterations, 1)


class _Watched(Protocol):
    def look(self, flood) -> Look: ...


# Between a change and the first look.
_SETTLING_SECONDS = 0.05


def watch(watched: _Watched, seconds: float, flood=None) -> Window:
    """What happens in the next so many seconds, while `flood` sends, where there is one."""
    time.sleep(min(_SETTLING_SECONDS, seconds))
    before = watched.look(flood)
    time.sleep(seconds)
    return Window(before, watched.look(flood))
