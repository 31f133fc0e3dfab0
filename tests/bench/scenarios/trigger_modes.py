"""P0b, the triggers beside each other: does `auto` choose the best at every load?"""

from functools import partial

from harness.bed import Bed
from harness.figures import Figure, Report, at_least, at_most
from harness.flood import Flood
from harness.probe import probe
from harness.rounds import Effort, interleave

NAME = "P0b-modes"
WHAT = "each rx_trigger at rest, at 1 and 100 kpps and under full load"
SMOKE = {
    "results": {"at rest, turn, auto", "1 kpps, delivery, io_uring", "full load, io_uring"},
    "ratios": {"100 kpps, CPU of the worker, auto of the best fixed"},
}
# In any case the first two.
_MODES = ("auto", "io_uring", "signal", "epoll", "none")
# What is measured, and whether less of it is better.
_MEASURED = {
    "at rest, turn": True,
    "1 kpps, delivery": True,
    "100 kpps, CPU of the worker": True,
    "full load": False,
}


def _best(report: Report, what: str, modes: tuple[str, ...]) -> Figure:
    fixed = [report.figures[f"{what}, {mode}"] for mode in modes if mode != "auto"]
    choose = min if _MEASURED[what] else max
    return choose(fixed, key=lambda figure: figure.median)


def measure(report: Report, effort: Effort) -> None:
    modes = _MODES[:2] if effort.short else _MODES
    with Bed() as bed:
        bed.apply(
            {
                "ports": [{"name": name, "tap": {}} for name in ("tap0", "tap1")],
                "cross_connects": [{"a": "tap0", "b": "tap1"}],
            }
        )
        bed.namespace.run("ip link set dev tap1 up")

        def use(mode: str, idle_policy: str) -> None:
            for port in ("tap0", "tap1"):
                bed.tune("rx_trigger", mode, "--port", port)
            bed.tune("idle_policy", idle_policy)

        def rest(mode: str) -> None:
            use(mode, "poll")
            turn = bed.watch(effort.seconds(0.2)).nanoseconds_each_turn
            report.add(f"at rest, turn, {mode}", "ns", turn)

        def deliver(mode: str) -> None:
            use(mode, "poll")
            found = probe(bed, "tap0", "tap1", 1, effort.count(300))
            report.add(f"1 kpps, delivery, {mode}", "us", found.percentile(50))

        def pace(mode: str) -> None:
            use(mode, "adaptive")
            with Flood(bed.namespace, "tap0", "AF_PACKET", "--per-second", "100000"):
                _, of_worker = bed.busy_shares(effort.seconds(0.5))
            report.add(f"100 kpps, CPU of the worker, {mode}", "% of a CPU", 100 * of_worker)

        def flood(mode: str) -> None:
            use(mode, "poll")
            with Flood(bed.namespace, "tap0", "AF_PACKET"):
                window = bed.watch(effort.seconds(0.4))
            report.add(f"full load, {mode}", "Mpps", window.received_rate("tap0"))

        # One thing with each mode, then the next thing: what is compared is measured at about the
        # same time.
        interleave(
            effort.rounds_or(11),
            [partial(each, mode) for each in (rest, deliver, pace, flood) for mode in modes],
        )
    for what, less_is_better in _MEASURED.items():
        report.quotient(
            f"{what}, auto of the best fixed",
            f"{what}, auto", _best(report, what, modes).name,
            at_most(1.05) if less_is_better else at_least(0.95),
        )
