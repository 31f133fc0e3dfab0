"""Traffic: all that one sender can send."""

import subprocess

from harness.cpu import OTHER_CPU, on_cpu, program
from lab.namespace import Namespace
from lab.waiting import until

# By what they send with; XDP is the faster one.
SENDERS = {"AF_PACKET": "packet_flood", "XDP": "xdp_flood"}


class Flood:
    """A context: within, frames of 60 bytes are sent on a device of the namespace."""

    def __init__(
        self, namespace: Namespace, interface: str, sender: str, *options: str,
        cpu: int = OTHER_CPU,
    ):
        self._namespace, self._interface = namespace, interface
        self._command = [
            *on_cpu(cpu), program(f"traffic/{SENDERS[sender]}"), interface, *options
        ]

    def __enter__(self) -> "Flood":
        show = f"ip -brief link show dev {self._interface}"
        if "LOWER_UP" not in until(lambda: self._namespace.run(show), self._interface):
            self._namespace.run(f"ip link set dev {self._interface} up")
        self._process = self._namespace.start(self._command, stdout=subprocess.PIPE, text=True)
        if self._process.stdout.readline() != "sends\n":
            raise RuntimeError(f"{self._command} does not send")
        return self

    def __exit__(self, *unused) -> None:
        ended = self._process.poll()
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        if ended is not None:
            raise RuntimeError(f"{self._command} ended with {ended}")
