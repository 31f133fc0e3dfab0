"""P5: forwarding from one port to another, for each pair of kinds."""

import contextlib
import dataclasses
from collections.abc import Callable
from functools import partial

from harness.bed import POLLING, Bed
from harness.delivered import Delivered
from harness.figures import Report, at_least
from harness.flood import Flood
from harness.open_vswitch import OpenVswitch
from harness.rounds import Effort, interleave
from harness.testpmd import Testpmd
from harness.veth import add_veth
from lab.namespace import Namespace

NAME = "P5"
WHAT = "forwarding between two ports, 60 B, beside testpmd and OVS with the same kinds of devices"


@dataclasses.dataclass
class _Kind:
    """How we name a port of that kind, and how the peers do."""

    name: str
    field: str
    # Of testpmd, by what the setting is called: the driver and its arguments, but the device.
    drivers: dict[str, str]
    # Of Open vSwitch; DEVICE is that, NUMBER is the port's.
    interface: str

    @property
    def is_tap(self) -> bool:
        return self.field == "tap"


_XDP = _Kind(
    "AF_XDP", "af_xdp", {"": "net_af_xdp", ", busy_budget=0": "net_af_xdp,busy_budget=0"},
    "type=afxdp",
)
# It wants a transmit queue for each of its threads, the driver as many receive queues.
_TAP = _Kind(
    "tap", "tap", {"": "net_tap"},
    "type=dpdk options:n_rxq=2 options:dpdk-devargs=net_tapNUMBER,iface=DEVICE",
)
_PACKET = _Kind(
    "AF_PACKET", "af_packet", {"": "net_af_packet,qdisc_bypass=1,framecnt=2048"},
    "type=dpdk options:dpdk-devargs=net_af_packetNUMBER,iface=DEVICE,qdisc_bypass=1,framecnt=2048",
)
_PAIRS = [(_XDP, _XDP), (_TAP, _TAP), (_PACKET, _PACKET), (_XDP, _TAP), (_XDP, _PACKET)]
_MODES = ("io", "macswap")
_SECONDS = 0.4


def _directions(pair: tuple[_Kind, _Kind]) -> dict[str, int]:
    """Their names, and the number of the port that receives."""
    names = [f"{a.name} to {b.name}" for a, b in (pair, pair[::-1])]
    return dict(zip(names, range(2 if pair[0] is not pair[1] else 1)))


_PATHS = [path for pair in _PAIRS for path in _directions(pair)]
SMOKE = {
    "results": {f"{path}, {who}" for path in _PATHS for who in ("ours", "testpmd io")},
    "ratios": {f"{path}, of {peer}" for path in _PATHS for peer in ("testpmd io", "OVS")},
}


def _inside(prefix: str) -> list[str]:
    return [f"{prefix}{number}" for number in range(2)]


def _outside(pair: tuple[_Kind, _Kind], prefix: str) -> list[str]:
    """Where packets for the two ports are sent."""
    return [name if kind.is_tap else f"{name}far" for kind, name in zip(pair, _inside(prefix))]


def _make_devices(space: Namespace, pair: tuple[_Kind, _Kind], prefix: str) -> None:
    """Those that no port makes itself."""
    for kind, near, far in zip(pair, _inside(prefix), _outside(pair, prefix)):
        if not kind.is_tap:
            add_veth(space, near, far)


@dataclasses.dataclass
class _Forwarder:
    """Who is measured, and where its packets come from and go to."""

    name: str
    program: Bed | Testpmd | OpenVswitch
    space: Namespace
    outside: list[str]
    others_paused: Callable[[], contextlib.AbstractContextManager]


def _us(bed: Bed, pair: tuple[_Kind, _Kind], prefix: str) -> _Forwarder:
    a, b = _inside(prefix)
    _make_devices(bed.namespace, pair, prefix)
    bed.apply(
        {
            "ports": [{"name": a, pair[0].field: {}}, {"name": b, pair[1].field: {}}],
            "cross_connects": [{"a": a, "b": b}],
            "knobs": POLLING,
        }
    )
    outside = _outside(pair, prefix)
    for name in outside:
        bed.namespace.run(f"ip link set dev {name} up")
    return _Forwarder("ours", bed, bed.namespace, outside, contextlib.nullcontext)


def _peer(
    bed: Bed, space: Namespace, pair: tuple[_Kind, _Kind], prefix: str, name: str,
    program: Testpmd | OpenVswitch,
) -> _Forwarder:
    """Not yet started."""
    _make_devices(space, pair, prefix)

    @contextlib.contextmanager
    def others_paused():
        with bed.paused(), program.resumed():
            yield

    return _Forwarder(name, program, space, _outside(pair, prefix), others_paused)


def _testpmd(
    bed: Bed, space: Namespace, pair: tuple[_Kind, _Kind], mode: str, setting: str
) -> _Forwarder:
    prefix = f"{mode}{len(setting)}n"
    devices = []
    for number, (kind, device) in enumerate(zip(pair, _inside(prefix))):
        driver, *options = kind.drivers.get(setting, kind.drivers[""]).split(",")
        devices.append(",".join([f"{driver}{number}", f"iface={device}", *options]))
    program = Testpmd(space, devices, mode)
    return _peer(bed, space, pair, prefix, f"testpmd {mode}{setting}", program)


def _open_vswitch(bed: Bed, space: Namespace, pair: tuple[_Kind, _Kind]) -> _Forwarder:
    ports = {}
    for number, (kind, device) in enumerate(zip(pair, _inside("ovs"))):
        settings = kind.interface.replace("DEVICE", device).replace("NUMBER", str(number))
        # Only an AF_XDP port must be called as its device is.
        ports[device if "DEVICE" not in kind.interface else f"port{number}"] = settings.split()
    return _peer(bed, space, pair, "ovs", "OVS", OpenVswitch(space, ports))


def _measure_pair(
    report: Report, effort: Effort, bed: Bed, pair: tuple[_Kind, _Kind], prefix: str
) -> None:
    settings = [""] if effort.short else list(pair[0].drivers)
    directions = _directions(pair)

    def forward(forwarder: _Forwarder, path: str) -> None:
        source = directions[path]
        with forwarder.others_paused(), Flood(forwarder.space, forwarder.outside[source], "XDP"):
            delivered = Delivered(forwarder.program, forwarder.space)
            window = delivered.watch(effort.seconds(_SECONDS))
        rate = window.sent_rate(forwarder.outside[1 - source])
        report.add(f"{path}, {forwarder.name}", "Mpps", rate)

    with contextlib.closing(Namespace()) as space, contextlib.ExitStack() as stack:
        # Each with its settings, of which the best is what we are compared with.
        peers = {
            f"testpmd {mode}": [_testpmd(bed, space, pair, mode, setting) for setting in settings]
            for mode in (_MODES[:1] if effort.short else _MODES)
        }
        peers["OVS"] = [_open_vswitch(bed, space, pair)]
        all_peers = [each for variants in peers.values() for each in variants]
        for peer in all_peers:
            report.add_peer(peer.program.command)
            stack.enter_context(peer.program)
            stack.enter_context(peer.program.paused())
        forwarders = [_us(bed, pair, prefix), *all_peers]
        interleave(
            effort.rounds_or(5),
            [partial(forward, each, path) for path in directions for each in forwarders],
        )
    for path in directions:
        for name, variants in peers.items():
            best = report.greatest(*(f"{path}, {peer.name}" for peer in variants))
            report.quotient(f"{path}, of {name}", f"{path}, ours", best, at_least(1))


def measure(report: Report, effort: Effort) -> None:
    with Bed() as bed:
        for number, pair in enumerate(_PAIRS):
            _measure_pair(report, effort, bed, pair, f"pair{number}n")
