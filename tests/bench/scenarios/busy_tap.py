"""P0b, packets: a flooded tap, received from only and forwarded to another tap."""

from functools import partial

from harness.bare import tap_read_rate
from harness.bed import POLLING, Bed
from harness.figures import Report, at_least
from harness.flood import SENDERS, Flood
from harness.rounds import Effort, interleave
from harness.testpmd import Testpmd
from lab.namespace import Namespace

NAME = "P0b"
WHAT = "a flooded tap, its trigger on and off, beside testpmd's net_tap"
SMOKE = {
    "results": {"receive only, AF_PACKET, rx_trigger auto", "receive only, AF_PACKET, testpmd"},
    "ratios": {
        "receive only, AF_PACKET, auto of none",
        "receive only, XDP, batching auto of off",
        "tap to tap, XDP, auto of none",
        "receive only, AF_PACKET, auto of testpmd",
        "receive only, AF_PACKET, auto of a bare reader",
    },
}
_TRIGGERS = ("none", "auto", "io_uring", "signal", "epoll")  # The first two in any case.
_BATCHING = ("off", "on")  # Beside "auto", which all the triggers have.
_TAPS = [{"name": name, "tap": {}} for name in ("tap0", "tap1")]
_SECONDS = 0.4


def _measure_path(report: Report, effort: Effort, bed: Bed, path: str, peer_mode: str) -> None:
    triggers = _TRIGGERS[:2] if effort.short else _TRIGGERS
    space = Namespace()
    devices = [f"net_tap{number},iface=peer{number}" for number in range(2)]
    if peer_mode == "rxonly":
        del devices[1:]
    peer = Testpmd(space, devices, peer_mode)
    report.add_peer(peer.command)

    def rate(window, received, sent) -> float:
        return window.received_rate(received) if peer_mode == "rxonly" else window.sent_rate(sent)

    def ours(sender: str, trigger: str, batching: str = "auto") -> None:
        with peer.paused():
            bed.tune("rx_trigger", trigger, "--port", "tap0")
            bed.tune("call_batching", batching)
            with Flood(bed.namespace, "tap0", sender):
                window = bed.watch(effort.seconds(_SECONDS))
        knob = f"rx_trigger {trigger}" if batching == "auto" else f"call_batching {batching}"
        report.add(f"{path}, {sender}, {knob}", "Mpps", rate(window, "tap0", "tap1"))

    def theirs(sender: str) -> None:
        with bed.paused(), Flood(space, "peer0", sender):
            window = peer.watch(effort.seconds(_SECONDS))
        report.add(f"{path}, {sender}, testpmd", "Mpps", rate(window, "0", "1"))

    def bare(sender: str) -> None:
        with peer.paused(), bed.paused():
            found = tap_read_rate(space, sender, effort.seconds(_SECONDS))
        report.add(f"{path}, {sender}, a bare reader", "Mpps", found)

    bounds = [partial(bare, sender) for sender in SENDERS] if peer_mode == "rxonly" else []
    with peer:
        interleave(
            effort.rounds_or(9),
            [partial(ours, sender, trigger) for sender in SENDERS for trigger in triggers]
            + [partial(ours, sender, "auto", each) for sender in SENDERS for each in _BATCHING]
            + [partial(theirs, sender) for sender in SENDERS]
            + bounds,
        )
    space.close()
    for sender in SENDERS:
        for trigger in triggers[1:]:
            report.quotient(
                f"{path}, {sender}, {trigger} of none",
                f"{path}, {sender}, rx_trigger {trigger}", f"{path}, {sender}, rx_trigger none",
                at_least(0.97) if trigger == "auto" else None,
            )
        for batching in _BATCHING:
            report.quotient(
                f"{path}, {sender}, batching auto of {batching}",
                f"{path}, {sender}, rx_trigger auto", f"{path}, {sender}, call_batching {batching}",
                at_least(0.97),
            )
        report.quotient(
            f"{path}, {sender}, auto of testpmd",
            f"{path}, {sender}, rx_trigger auto", f"{path}, {sender}, testpmd",
            at_least(9) if path == "receive only" and sender == "AF_PACKET" else None,
        )
        if bounds:
            report.quotient(
                f"{path}, {sender}, auto of a bare reader",
                f"{path}, {sender}, rx_trigger auto", f"{path}, {sender}, a bare reader",
            )


def measure(report: Report, effort: Effort) -> None:
    with Bed() as bed:
        bed.apply({"ports": _TAPS[:1], "knobs": POLLING})
        _measure_path(report, effort, bed, "receive only", "rxonly")
        bed.apply(
            {
                "ports": _TAPS,
                "cross_connects": [{"a": "tap0", "b": "tap1"}],
                "knobs": POLLING,
            }
        )
        bed.namespace.run("ip link set dev tap1 up")
        _measure_path(report, effort, bed, "tap to tap", "io")
