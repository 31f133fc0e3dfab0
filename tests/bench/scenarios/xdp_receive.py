"""P4: packets from a veth through AF_XDP, received from only."""

import contextlib
import time
from functools import partial

from harness.bare import xdp_read_rate
from harness.bed import Bed
from harness.cpu import OTHER_CPU
from harness.figures import Report, at_least
from harness.flood import Flood
from harness.rounds import Effort, interleave
from harness.testpmd import Testpmd
from harness.veth import add_veth
from lab.gateway import WORKER_CPU
from lab.namespace import Namespace

NAME = "P4"
WHAT = "AF_XDP receive on a veth, 60 B, beside testpmd's net_af_xdp"
SMOKE = {
    "results": {
        "one core, adaptive", "one core, testpmd spinning", "one core, a bare reader",
        "two cores, adaptive", "two cores, testpmd",
    },
    "ratios": {
        "one core, adaptive",
        "one core, adaptive of testpmd spinning",
        "one core, adaptive of a bare reader",
        "one core, adaptive of poll, busy_poll on",
        "two cores, adaptive of testpmd",
    },
}
# Where the sender and the kernel's packet work are. On one core all share the worker's.
_SENDER_CPUS = {"two cores": OTHER_CPU, "one core": WORKER_CPU}
# The values of idle_policy and busy_poll; the first are the defaults.
_POLICIES = {
    "adaptive": ("adaptive", "auto"),
    "interrupt": ("interrupt", "auto"),
    "poll": ("poll", "auto"),
    "adaptive, busy_poll on": ("adaptive", "on"),
    "poll, busy_poll on": ("poll", "on"),
}
# With a budget, which is its default, it makes a call of each empty look.
_PEERS = {"testpmd": "", "testpmd spinning": ",busy_budget=0"}
_SECONDS = 0.4
# Until the gateway has noticed who else wants the worker's CPU, as it looks each second.
_NOTICING_SECONDS = 2.5


def _measure_place(
    report: Report, effort: Effort, bed: Bed, space: Namespace, peers: dict[str, Testpmd],
    place: str,
) -> None:
    cpu = _SENDER_CPUS[place]
    shared = cpu == WORKER_CPU
    seconds = effort.seconds(_SECONDS)

    def ours(policy: str) -> None:
        idle_policy, busy_poll = _POLICIES[policy]
        bed.tune("idle_policy", idle_policy)
        bed.tune("busy_poll", busy_poll, "--port", "near")
        with Flood(bed.namespace, "far", "XDP", cpu=cpu):
            time.sleep(effort.seconds(_NOTICING_SECONDS) if shared else 0)
            window = bed.watch(seconds, cpu_is_shared=shared)
        report.add(f"{place}, {policy}", "Mpps", window.received_rate("near"))

    def theirs(name: str, far: str) -> None:
        with bed.paused(), peers[name].resumed(), Flood(space, far, "XDP", cpu=cpu):
            window = peers[name].watch(seconds, cpu_is_shared=shared)
        report.add(f"{place}, {name}", "Mpps", window.received_rate("0"))

    def bare() -> None:
        with bed.paused():
            found = xdp_read_rate(space, "near", "far", seconds, cpu)
        report.add(f"{place}, a bare reader", "Mpps", found)

    interleave(
        effort.rounds_or(9),
        [partial(ours, policy) for policy in _POLICIES]
        + [partial(theirs, name, f"far{number}") for number, name in enumerate(peers)]
        + [bare],
    )
    for policy in list(_POLICIES)[1:]:
        report.quotient(
            f"{place}, adaptive of {policy}", f"{place}, adaptive", f"{place}, {policy}"
        )
    report.quotient(
        f"{place}, adaptive of a bare reader", f"{place}, adaptive", f"{place}, a bare reader"
    )


def measure(report: Report, effort: Effort) -> None:
    with (
        contextlib.closing(Namespace()) as space, Bed() as bed, contextlib.ExitStack() as stack
    ):
        for where in (bed.namespace, space):
            add_veth(where, "near", "far")
        bed.apply({"ports": [{"name": "near", "af_xdp": {}}]})
        peers = {}
        for number, (name, options) in enumerate(_PEERS.items()):
            add_veth(space, f"near{number}", f"far{number}")
            device = f"net_af_xdp0,iface=near{number}{options}"
            peers[name] = stack.enter_context(Testpmd(space, [device], "rxonly"))
            stack.enter_context(peers[name].paused())
            report.add_peer(peers[name].command)
        for place in _SENDER_CPUS:
            _measure_place(report, effort, bed, space, peers, place)
    report.bound("one core, adaptive", at_least(3.2))
    report.quotient(
        "one core, adaptive of testpmd spinning",
        "one core, adaptive", "one core, testpmd spinning", at_least(12),
    )
    report.quotient(
        "two cores, adaptive of testpmd", "two cores, adaptive",
        report.greatest(*(f"two cores, {name}" for name in _PEERS)), at_least(1),
    )
