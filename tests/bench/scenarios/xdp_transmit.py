"""P1: all that one worker can send on a veth through AF_XDP."""

import contextlib
from functools import partial

from harness.bare import xdp_send_rate
from harness.bed import POLLING, Bed
from harness.delivered import Delivered
from harness.figures import Report, at_least, at_most
from harness.rounds import Effort, interleave
from harness.testpmd import Testpmd
from harness.veth import add_veth
from harness.xdp_budget import set_send_budget
from lab.namespace import Namespace

NAME = "P1"
WHAT = "AF_XDP transmit on a veth, 64 B, from net_null, beside testpmd's net_af_xdp"
SMOKE = {
    "results": {
        "ours", "ours, 32 frames a call, on_completion", "testpmd",
        "a bare sender, a call for each frame",
    },
    "ratios": {
        "ours", "system calls for 256 frames", "ours of testpmd",
        "ours of a bare sender, 512 frames a call", "32 frames a call, at_once of on_completion",
    },
}
# All zero: what the far end does with a frame depends on what is in it.
_SOURCE = "net_null0,copy=1"
# The values of tx_continue, and how many frames the kernel may send with each call: our whole ring,
# and as many as it could before 6.17. The first are the defaults.
_OURS = {
    "ours": ("at_once", 2048),
    "ours, on_completion": ("on_completion", 2048),
    "ours, 32 frames a call, at_once": ("at_once", 32),
    "ours, 32 frames a call, on_completion": ("on_completion", 32),
}
_PEERS = {"testpmd": "", "testpmd, busy_budget=0": ",busy_budget=0"}
# Frames with each system call.
_BARE = {
    "a bare sender, a call for each frame": 1,
    "a bare sender, 32 frames a call": 32,
    "a bare sender, 512 frames a call": 512,
}
_SECONDS = 0.4


def measure(report: Report, effort: Effort) -> None:
    seconds = effort.seconds(_SECONDS)
    with (
        contextlib.closing(Namespace()) as space, Bed() as bed, contextlib.ExitStack() as stack
    ):
        for where in (bed.namespace, space):
            add_veth(where, "near", "far")
        bed.apply(
            {
                "ports": [
                    {"name": "source", "ethdev": {"devargs": _SOURCE}},
                    {"name": "near", "af_xdp": {}},
                ],
                "cross_connects": [{"a": "source", "b": "near"}],
                "knobs": POLLING,
            }
        )
        peers = {}
        for number, (name, options) in enumerate(_PEERS.items()):
            add_veth(space, f"near{number}", f"far{number}")
            devices = [_SOURCE, f"net_af_xdp0,iface=near{number}{options}"]
            peers[name] = stack.enter_context(Testpmd(space, devices, "io"))
            stack.enter_context(peers[name].paused())
            report.add_peer(peers[name].command)

        def ours(name: str) -> None:
            tx_continue, frames_each_call = _OURS[name]
            bed.tune("tx_continue", tx_continue, "--port", "near")
            set_send_budget(bed.pid, frames_each_call)
            window = Delivered(bed, bed.namespace).watch(seconds)
            report.add(name, "Mpps", window.sent_rate("far"))
            if name == "ours":
                calls = 256 * window.system_calls / max(window.sent["far"], 1)
                report.add("system calls for 256 frames", "calls", calls)

        def theirs(name: str, far: str) -> None:
            with bed.paused(), peers[name].resumed():
                window = Delivered(peers[name], space).watch(seconds)
            report.add(name, "Mpps", window.sent_rate(far))

        def bare(name: str) -> None:
            with bed.paused():
                rate = xdp_send_rate(space, "near", "far", _BARE[name], seconds)
            report.add(name, "Mpps", rate)

        interleave(
            effort.rounds_or(9),
            [partial(ours, name) for name in _OURS]
            + [partial(theirs, name, f"far{number}") for number, name in enumerate(peers)]
            + [partial(bare, name) for name in _BARE],
        )
        bed.apply({})  # The books are whole only once nothing moves.
    report.bound("ours", at_least(1.2))
    report.bound("system calls for 256 frames", at_most(1))
    report.quotient("ours of testpmd", "ours", report.greatest(*_PEERS), at_least(1))
    for what in ("", "32 frames a call, "):
        report.quotient(
            f"{what}at_once of on_completion",
            f"ours, {what}at_once" if what else "ours", f"ours, {what}on_completion",
        )
    for name in _BARE:
        report.quotient(f"ours of {name}", "ours", name)
