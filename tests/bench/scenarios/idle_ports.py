"""P8, the idle part: ports that have nothing to do beside two that have nothing to do either."""

from functools import partial

from harness.bed import POLLING, Bed
from harness.figures import Report, at_most
from harness.rounds import Effort, interleave

NAME = "P8"
WHAT = "what a turn of a polling worker costs while no port has a packet"
_FEW, _MANY = 2, 64
SMOKE = {
    "results": {"turn with 2 idle tap ports", "turn with 64 idle memory ports"},
    "ratios": {f"each further idle {kind} port" for kind in ("tap", "af_packet", "memory")},
}


def _ports(kind: str, count: int) -> list[dict]:
    names = [f"{kind[0]}{number}" for number in range(count)]
    settings = {
        "tap": lambda name: {},
        "af_packet": lambda name: {"rx_ring_frames": 64, "tx_ring_frames": 64},
        # The other ends of the cables are free.
        "memory": lambda name: {"cable": name, "ring_packets": 64},
    }
    return [{"name": name, kind: settings[kind](name)} for name in names]


def measure(report: Report, effort: Effort) -> None:
    with Bed() as bed:
        bed.run_batch(
            [f"link add a{number} type veth peer name b{number}" for number in range(_MANY)]
            + [f"link set dev {end}{number} up" for number in range(_MANY) for end in "ab"]
        )

        def turn(kind: str, count: int) -> None:
            bed.apply({"ports": _ports(kind, count), "knobs": POLLING})
            nanoseconds = bed.watch(effort.seconds(0.3)).nanoseconds_each_turn
            report.add(f"turn with {count} idle {kind} ports", "ns", nanoseconds)

        interleave(
            effort.rounds_or(9),
            [partial(turn, kind, count) for kind in ("tap", "af_packet", "memory")
             for count in (_FEW, _MANY)],
        )
    for kind in ("tap", "af_packet", "memory"):
        few, many = (
            report.figures[f"turn with {count} idle {kind} ports"] for count in (_FEW, _MANY)
        )
        name = f"each further idle {kind} port"
        for few_round, many_round in zip(few.rounds, many.rounds):
            report.add(name, "ns", (many_round - few_round) / (_MANY - _FEW))
        report.bound(name, at_most(2))
