"""What came out of a program, not what it says that it sent."""

import dataclasses

from harness.window import Look, Watched, Window, watch
from lab.namespace import Namespace


def received_packets(space: Namespace) -> dict[str, int]:
    """Packets by device, as the kernel counts them."""
    with space.entered(), open("/proc/thread-self/net/dev", encoding="ascii") as file:
        rows = [line.split(":", 1) for line in file if ":" in line]
    return {name.strip(): int(numbers.split()[1]) for name, numbers in rows}


class Delivered:
    """A program whose packets come out at devices of a namespace. A driver may count as sent what
    the kernel then drops: a veth's other end takes 1000 packets before it looks at the first."""

    def __init__(self, program: Watched, space: Namespace):
        self._program, self._space = program, space

    def look(self) -> Look:
        """As the program's, but `sent` is by device."""
        look = self._program.look()
        return dataclasses.replace(look, sent=received_packets(self._space))

    def watch(self, seconds: float) -> Window:
        return watch(self, seconds)
