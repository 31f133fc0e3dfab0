"""P0b, streams: TCP from one tap to another, with and without the taps' offloads."""

import json
import subprocess
from functools import partial

from harness.bed import POLLING, Bed
from harness.figures import Report, at_least
from harness.rounds import Effort, interleave
from lab.namespace import Namespace
from lab.waiting import until

NAME = "P0b-tcp"
WHAT = "TCP from tap to tap, with segmentation and checksums left to the gateway and without"
SMOKE = {
    "results": {"TCP, offloads on", "TCP, offloads off"},
    "ratios": {"TCP, offloads on of offloads off"},
}
_ADDRESSES = ("10.0.0.1", "10.0.0.2")


def _gigabits(client: subprocess.Popen) -> float:
    output = client.communicate(timeout=60)[0]
    result = json.loads(output)
    if "error" in result:
        raise RuntimeError(f"iperf3: {result['error']}")
    return result["end"]["sum_received"]["bits_per_second"] / 1e9


def measure(report: Report, effort: Effort) -> None:
    with Bed() as bed:
        far = Namespace()
        bed.apply(
            {
                "ports": [{"name": "tap0", "tap": {}}, {"name": "tap1", "tap": {}}],
                "cross_connects": [{"a": "tap0", "b": "tap1"}],
                "knobs": POLLING,
            }
        )
        bed.namespace.run(f"ip link set tap1 netns {far.path}")
        hosts = (bed.namespace, far)
        for number, host in enumerate(hosts):
            host.run(f"ip address add {_ADDRESSES[number]}/24 dev tap{number}")
            host.run(f"ip link set tap{number} up")
        server = far.start(["iperf3", "--server"], stdout=subprocess.DEVNULL)
        until(lambda: ":5201" in far.run("ss -ltnH"), "iperf3 listens")

        def stream(state: str) -> None:
            for number, host in enumerate(hosts):
                host.run(f"ethtool -K tap{number} tx {state} sg {state} tso {state} gso {state}")
            command = ["iperf3", "--json", "--client", _ADDRESSES[1], "--time"]
            command.append("1" if effort.short else "2")
            client = bed.namespace.start(command, stdout=subprocess.PIPE, text=True)
            report.add(f"TCP, offloads {state}", "Gbit/s", _gigabits(client))

        try:
            interleave(effort.rounds_or(7), [partial(stream, state) for state in ("on", "off")])
        finally:
            server.kill()
            server.wait()
            far.close()
    report.quotient(
        "TCP, offloads on of offloads off", "TCP, offloads on", "TCP, offloads off", at_least(7)
    )
