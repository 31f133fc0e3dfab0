"""The smallest programs that do what a gateway must: what bounds it on this machine."""

import json
import statistics
import subprocess

from harness.cpu import on_both_cpus, program
from harness.flood import Flood
from lab.gateway import WORKER_CPU
from lab.namespace import Namespace


def wake_delay(space: Namespace, pause: float, count: int) -> float:
    """The median in microseconds until a thread runs that blocks on the worker's CPU, which must be
    idle, each time after a pause in milliseconds."""
    command = [
        *on_both_cpus(), program("traffic/wake_delay"), f"--cpu={WORKER_CPU}",
        f"--pause={round(pause * 1000)}", f"--count={count}",
    ]
    return statistics.median(json.loads(space.run(" ".join(command)))["nanoseconds"]) / 1000


def read_rate(space: Namespace, sender: str, seconds: float) -> float:
    """Million packets a second that a reader of a flooded tap gets, on the worker's CPU, which
    nobody else should want then."""
    interface = "bare"
    command = [program("traffic/tap_reader"), interface, f"--milliseconds={round(seconds * 1000)}"]
    with space.start(
        ["taskset", "--cpu-list", str(WORKER_CPU), *command],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as reader:
        if reader.stdout.readline() != "reads\n":
            raise RuntimeError(f"{command} does not read")
        with Flood(space, interface, sender):
            found = json.loads(reader.stdout.readline())
        reader.stdin.close()
    return found["packets"] / found["nanoseconds"] * 1000
