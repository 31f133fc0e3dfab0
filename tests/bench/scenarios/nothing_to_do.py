"""P6: a worker that has nothing to do, and the first packet that ends that."""

from functools import partial

from harness.bare import wake_delay
from harness.bed import Bed
from harness.figures import Report, at_least, at_most
from harness.flood import Flood
from harness.probe import probe
from harness.rounds import Effort, interleave
from harness.testpmd import Testpmd
from lab.namespace import Namespace

NAME = "P6"
WHAT = "nothing to do: what that costs, and what the next packet waits for"
SMOKE = {
    "results": {
        "idle, all threads of the data plane", "idle, testpmd",
        "first packet after 20 ms, adaptive, p50", "bare wake after 20 ms, p50",
        "bare wake with cpu_dma_latency after 20 ms, p50",
        "under load, adaptive",
    },
    "ratios": {
        "idle, all threads of the data plane",
        "first packet after 1 ms, adaptive above poll, p50",
        "first packet after 5 ms, adaptive with cpu_dma_latency above poll, p50",
        "under load, adaptive of poll",
    },
}
_PORTS = [
    {"name": "tap0", "tap": {}},
    {"name": "tap1", "tap": {}},
    {"name": "veth0", "af_packet": {}},
    {"name": "veth1", "af_packet": {}},
    {"name": "memory0", "memory": {"cable": "cable"}},
    {"name": "memory1", "memory": {"cable": "cable"}},
]
_CROSS_CONNECTS = [{"a": f"{kind}0", "b": f"{kind}1"} for kind in ("tap", "veth")]
_POLICIES = {
    "poll": ("poll", "off"),
    "adaptive": ("adaptive", "off"),
    "adaptive with cpu_dma_latency": ("adaptive", "on"),
}
# What bounds those that sleep.
_BARE_WAKES = {
    "adaptive": "bare wake",
    "adaptive with cpu_dma_latency": "bare wake with cpu_dma_latency",
}
# By the pause in milliseconds: how often, and how far the median may be above polling, in
# microseconds.
_PAUSES = {0.2: (400, 30), 1: (300, 30), 5: (100, 70), 20: (50, 100)}
_AWAKE_CPU_BOUND = 8  # With cpu_dma_latency, after any pause.
_P99_BOUND = 150


def _set(bed: Bed, policy: str) -> None:
    idle_policy, cpu_dma_latency = _POLICIES[policy]
    bed.tune("idle_policy", idle_policy)
    bed.tune("cpu_dma_latency", cpu_dma_latency)


def _measure_idle(report: Report, effort: Effort, bed: Bed) -> None:
    _set(bed, "adaptive")
    space = Namespace()
    devices = [f"net_tap{number},iface=peer{number}" for number in range(2)]
    with Testpmd(space, devices, "io") as peer:
        report.add_peer(peer.command)

        def ours() -> None:
            with peer.paused():
                share, of_worker = bed.busy_shares(effort.seconds(20))
            report.add("idle, all threads of the data plane", "% of a CPU", 100 * share)
            report.add("idle, its worker", "% of a CPU", 100 * of_worker)

        def theirs() -> None:
            report.add("idle, testpmd", "% of a CPU", 100 * peer.busy_share(effort.seconds(2)))

        interleave(effort.rounds_or(5), [ours, theirs])
    space.close()
    report.bound("idle, all threads of the data plane", at_most(0.5))


def _measure_first_packet(report: Report, effort: Effort, bed: Bed) -> None:
    def send(policy: str) -> None:
        _set(bed, policy)
        stalled = 0
        for pause, (count, _) in _PAUSES.items():
            found = probe(bed, "tap0", "tap1", pause, effort.count(count))
            stalled += found.stalled
            for percent in (50, 99):
                name = f"first packet after {pause:g} ms, {policy}, p{percent}"
                report.add(name, "us", found.percentile(percent))
        report.add(f"deliveries into a stall of the machine, {policy}", "packets", stalled)

    # What polling saves: no program gets below this. In a virtual machine whose CPU the host puts
    # to sleep, cpu_dma_latency changes nothing.
    def wake(policy: str) -> None:
        _set(bed, "adaptive")  # Not even a data plane that is stopped is to keep the CPU awake.
        with bed.paused():
            for pause, (count, _) in _PAUSES.items():
                keep_awake = _POLICIES[policy][1] == "on"
                delay = wake_delay(bed.namespace, pause, effort.count(count), keep_awake)
                report.add(f"{_BARE_WAKES[policy]} after {pause:g} ms, p50", "us", delay)

    interleave(
        effort.rounds_or(7),
        [*(partial(send, policy) for policy in _POLICIES),
         *(partial(wake, policy) for policy in _BARE_WAKES)],
    )
    for policy in list(_POLICIES)[1:]:
        for pause, (_, bound) in _PAUSES.items():
            name = f"first packet after {pause:g} ms, "
            for percentile, limit in (("p50", bound), ("p99", _P99_BOUND)):
                if percentile == "p50" and _POLICIES[policy][1] == "on":
                    limit = _AWAKE_CPU_BOUND
                report.difference(
                    f"{name}{policy} above poll, {percentile}",
                    f"{name}{policy}, {percentile}", f"{name}poll, {percentile}",
                    at_most(limit),
                )


def _measure_load(report: Report, effort: Effort, bed: Bed) -> None:
    def load(policy: str) -> None:
        _set(bed, policy)
        with Flood(bed.namespace, "tap0", "AF_PACKET"):
            window = bed.watch(effort.seconds(0.4))
        report.add(f"under load, {policy}", "Mpps", window.sent_rate("tap1"))

    interleave(effort.rounds_or(15), [partial(load, policy) for policy in ("poll", "adaptive")])
    report.quotient(
        "under load, adaptive of poll", "under load, adaptive", "under load, poll", at_least(0.98)
    )


def measure(report: Report, effort: Effort) -> None:
    with Bed() as bed:
        bed.run_batch(
            [f"link add veth{number} type veth peer name host{number}" for number in range(2)]
            + [f"link set dev {end}{number} up" for number in range(2) for end in ("veth", "host")]
        )
        bed.apply({"ports": _PORTS, "cross_connects": _CROSS_CONNECTS})
        bed.namespace.run("ip link set dev tap1 up")
        _measure_idle(report, effort, bed)
        _measure_first_packet(report, effort, bed)
        _measure_load(report, effort, bed)
