"""P0a: two fast ports that forward in one thread, and idle taps beside them."""

import contextlib
from collections.abc import Iterable
from functools import partial

from harness.bed import POLLING, Bed
from harness.figures import Report, at_least
from harness.rounds import Effort, interleave
from harness.testpmd import Testpmd
from harness.touch import touch
from lab.namespace import Namespace

NAME = "P0a"
WHAT = "two fast ports (net_null) forwarding in one thread, with idle taps beside them"
SMOKE = {
    "results": {"burst 32, no tap", "burst 1, 32 taps, never used", "testpmd, burst 32, no tap"},
    "ratios": {
        "burst 32, 2 taps, never used, of no tap",
        "burst 1, 32 taps, never used, of 2 taps, never used",
        "testpmd, burst 32, 2 taps, used before, of no tap",
    },
}
# How many taps, and whether each has seen a packet.
_BESIDE = {
    "no tap": (0, False),
    "2 taps, never used": (2, False),
    "2 taps, used before": (2, True),
    "32 taps, never used": (32, False),
}
# What is left of the throughput without taps, by burst size.
_TARGETS = {32: 0.995, 1: 0.98}
# Where the buffers lie differs each time and makes 1.5 % of the rate: what is to be told from it
# takes many short looks.
_ROUNDS = {32: 250, 1: 150}
_SECONDS = 0.1
_PEER_SECONDS = 0.25


def _config(burst: int, taps: int) -> dict:
    fast = ["fast0", "fast1"]
    devices = [{"devargs": f"net_null{number}"} for number in range(2)]
    return {
        "ports": [{"name": name, "ethdev": device} for name, device in zip(fast, devices)]
        + [{"name": f"idle{number}", "tap": {}} for number in range(taps)],
        "cross_connects": [{"a": "fast0", "b": "fast1"}],
        "knobs": POLLING
        + [{"knob": "burst_size", "port": name, "value": str(burst)} for name in fast],
    }


# What is measured one directly after the other is compared: the machine's speed changes.
_ORDER = [
    "no tap",
    "2 taps, never used",
    "32 taps, never used",
    "no tap",
    "2 taps, used before",
]
# Neighbours of that order: the one over the other.
_COMPARED = [(1, 0), (2, 1), (2, 3), (4, 3)]


def _measure_ours(report: Report, effort: Effort) -> None:
    with Bed() as bed:

        def forward(burst: int, beside: str) -> float:
            taps, used = _BESIDE[beside]
            bed.apply(_config(burst, taps))
            for number in range(taps if used else 0):
                touch(bed.namespace, f"idle{number}")
            rate = bed.watch(effort.seconds(_SECONDS)).received_rate("fast0")
            report.add(f"burst {burst}, {beside}", "Mpps", rate)
            return rate

        def compare(burst: int, order: Iterable[int]) -> None:
            rates = {number: forward(burst, _ORDER[number]) for number in order}
            if 0 in rates.values():
                return  # Others had the worker's CPU for all of a window.
            for over, under in _COMPARED:
                report.add_quotient(
                    f"burst {burst}, {_ORDER[over]}, of {_ORDER[under]}",
                    rates[over] / rates[under],
                    at_least(_TARGETS[burst], confident=True),
                )

        for burst, rounds in _ROUNDS.items():
            for number in range(effort.rounds_or(rounds)):
                order = range(len(_ORDER))
                compare(burst, order if number % 2 == 0 else reversed(order))
        # The books are whole only once nothing moves.
        bed.apply({})


def _measure_peer(report: Report, effort: Effort) -> None:
    space = Namespace()
    peers = {}
    with contextlib.ExitStack() as stack:
        for burst in [32] if effort.short else _TARGETS:
            for number, beside in enumerate(list(_BESIDE)[:3]):
                names = [f"p{burst}n{number}t{tap}" for tap in range(_BESIDE[beside][0])]
                devices = ["net_null0", "net_null1"]
                devices += [f"net_tap{tap},iface={name}" for tap, name in enumerate(names)]
                peer = stack.enter_context(Testpmd(space, devices, "io", burst))
                for name in names if _BESIDE[beside][1] else []:
                    touch(space, name)
                stack.enter_context(peer.paused())
                peers[f"testpmd, burst {burst}", beside] = peer
                report.add_peer(peer.command)

        def forward(name: tuple[str, str]) -> None:
            with peers[name].resumed():
                window = peers[name].watch(effort.seconds(_PEER_SECONDS))
            report.add(", ".join(name), "Mpps", window.received_rate("0"))

        interleave(effort.rounds_or(9), [partial(forward, name) for name in peers])
    space.close()
    for who, beside in peers:
        if beside != "no tap":
            report.quotient(
                f"{who}, {beside}, of no tap", f"{who}, {beside}", f"{who}, no tap"
            )


def measure(report: Report, effort: Effort) -> None:
    _measure_ours(report, effort)
    _measure_peer(report, effort)
