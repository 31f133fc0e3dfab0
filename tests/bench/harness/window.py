"""What happened between two looks at the counters."""

import dataclasses
import time
from typing import Protocol


@dataclasses.dataclass
class Look:
    """The counters at one moment."""

    seconds: float  # On the monotonic clock.
    waited: float  # Seconds for which the polling thread had to wait for its CPU, so far.
    received: dict[str, int]  # Packets by port.
    sent: dict[str, int]
    iterations: int = 0
    system_calls: int = 0


class Window:
    """The difference of two. Time does not count in which others had the CPU of the polling thread:
    it shows what else the machine does. Time in which the sender had to wait does count: it shares
    its CPU with what is measured, whose other threads may want much of it. `cpu_is_shared`: the
    sender has the polling thread's CPU too, so all time counts."""

    def __init__(self, before: Look, after: Look, cpu_is_shared: bool = False):
        elapsed = after.seconds - before.seconds
        waited = 0 if cpu_is_shared else after.waited - before.waited
        # The kernel counts a wait when it ends: one that began before the first look may be longer
        # than the window.
        self.seconds = max(elapsed - waited, elapsed / 10)
        self.share = 1 - waited / elapsed  # Of the time that counts.
        self.received = self._differences(before.received, after.received)
        self.sent = self._differences(before.sent, after.sent)
        self.iterations = after.iterations - before.iterations
        self.system_calls = after.system_calls - before.system_calls

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


class Watched(Protocol):
    def look(self) -> Look: ...


# Between a change and the first look.
_SETTLING_SECONDS = 0.05
_TRIES = 5
_WANTED_SHARE = 0.8
# Of what is shorter nobody wants to know how much it was.
_SHORTEST_SECONDS = 0.1


def watch(watched: Watched, seconds: float, cpu_is_shared: bool = False) -> Window:
    """What happens in the next so many seconds. Tried again where others had the CPU for too
    long."""
    time.sleep(min(_SETTLING_SECONDS, seconds))
    for _ in range(_TRIES):
        before = watched.look()
        time.sleep(seconds)
        window = Window(before, watched.look(), cpu_is_shared)
        if window.share >= _WANTED_SHARE or seconds < _SHORTEST_SECONDS:
            break
    return window
