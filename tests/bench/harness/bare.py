"""The smallest programs that do what a gateway must: what bounds it on this machine."""

import json
import statistics
import subprocess

from harness.cpu import OTHER_CPU, on_both_cpus, on_cpu, program
from harness.delivered import received_packets
from harness.flood import Flood
from lab.gateway import WORKER_CPU
from lab.namespace import Namespace


def wake_delay(space: Namespace, pause: float, count: int, keep_awake: bool) -> float:
    """The median in microseconds until a thread runs that blocks on the worker's CPU, which must be
    idle, each time after a pause in milliseconds. `keep_awake`: as cpu_dma_latency does."""
    command = [
        *on_both_cpus(), program("traffic/wake_delay"), f"--cpu={WORKER_CPU}",
        f"--pause={round(pause * 1000)}", f"--count={count}",
        *(["--keep-awake"] if keep_awake else []),
    ]
    return statistics.median(json.loads(space.run(" ".join(command)))["nanoseconds"]) / 1000


def _for(seconds: float) -> str:
    return f"--milliseconds={round(seconds * 1000)}"


# All that follows give million packets a second, on the worker's CPU, which nobody else should want
# then.


def _read_rate(space: Namespace, command: list[str], flood: Flood) -> float:
    with space.start(
        [*on_cpu(WORKER_CPU), *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as reader:
        if reader.stdout.readline() != "reads\n":
            raise RuntimeError(f"{command} does not read")
        with flood:
            found = json.loads(reader.stdout.readline())
        reader.stdin.close()
    return found["packets"] / found["nanoseconds"] * 1000


def tap_read_rate(space: Namespace, sender: str, seconds: float) -> float:
    """That a reader of a flooded tap gets."""
    command = [program("traffic/tap_reader"), "bare", _for(seconds)]
    return _read_rate(space, command, Flood(space, "bare", sender))


def xdp_read_rate(
    space: Namespace, near: str, far: str, seconds: float, sender_cpu: int = OTHER_CPU
) -> float:
    """That an AF_XDP socket on one end of a veth gets, whose other end is flooded."""
    command = [program("traffic/xdp_reader"), near, _for(seconds)]
    return _read_rate(space, command, Flood(space, far, "XDP", cpu=sender_cpu))


def xdp_send_rate(
    space: Namespace, near: str, far: str, each_call: int, seconds: float
) -> float:
    """That come to one end of a veth on whose other end an AF_XDP socket sends, so many with each
    system call."""
    command = [
        *on_cpu(WORKER_CPU), program("traffic/xdp_sender"), near, _for(seconds),
        f"--each-call={each_call}",
    ]
    before = received_packets(space)[far]
    found = json.loads(space.run(" ".join(command)))
    return (received_packets(space)[far] - before) / found["nanoseconds"] * 1000
