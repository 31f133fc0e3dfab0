"""The peer: DPDK's testpmd, forwarding with one core."""

import itertools
import json
import pathlib
import socket
import subprocess
import time

from harness.cpu import OTHER_CPU, on_both_cpus, ran_seconds, waited_seconds
from harness.pausing import Pausable
from harness.window import Look, Window, watch
from lab.gateway import WORKER_CPU
from lab.namespace import Namespace
from lab.tasks import tasks_of
from lab.waiting import until

_numbers = itertools.count()


class Testpmd(Pausable):
    """A context: within, it forwards on the worker's CPU, which nobody else should want then."""

    def __init__(self, namespace: Namespace, devices: list[str], mode: str, burst: int = 32):
        self._namespace = namespace
        self._prefix = f"bench{next(_numbers)}"
        self._ports = len(devices)
        self.command = [
            "dpdk-testpmd", "-l", f"{OTHER_CPU},{WORKER_CPU}", "--main-lcore", str(OTHER_CPU),
            "--no-pci", "--no-huge", "-m", "128", f"--file-prefix={self._prefix}",
            *(f"--vdev={device}" for device in devices),
            "--", f"--forward-mode={mode}", f"--burst={burst}", "--total-num-mbufs=8192",
            "--auto-start", "--no-mlockall",
        ]

    def __enter__(self) -> "Testpmd":
        self._log = open(f"/run/{self._prefix}.log", "w+", encoding="utf-8")
        self._process = self._namespace.start(
            # Else it says only at its end that it forwards.
            [*on_both_cpus(), "stdbuf", "--output=L", *self.command],
            stdin=subprocess.PIPE, stdout=self._log, stderr=self._log,
        )
        self.pid = self._process.pid
        self._telemetry = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        until(self._forwards, "testpmd forwards", seconds=60)
        self._telemetry.connect(f"/run/dpdk/{self._prefix}/dpdk_telemetry.v2")
        self._telemetry.recv(1 << 14)
        tasks = tasks_of(self.pid)
        (self._worker,) = (task.tid for task in tasks if task.name.startswith("rte-worker"))
        return self

    def _forwards(self) -> bool:
        log = pathlib.Path(self._log.name).read_text(encoding="utf-8", errors="replace")
        if self._process.poll() is not None:
            raise RuntimeError(f"{' '.join(self.command)}: {log}")
        return "Press enter to exit" in log

    def __exit__(self, *unused) -> None:
        self._telemetry.close()
        self._process.stdin.close()  # Ends it.
        self._process.wait(timeout=60)
        self._log.close()

    def _statistics(self, port: int) -> dict:
        self._telemetry.send(f"/ethdev/stats,{port}".encode())
        return json.loads(self._telemetry.recv(1 << 14))["/ethdev/stats"]

    def look(self) -> Look:
        """Its ports are named "0", "1", …."""
        now = time.monotonic()
        waited = waited_seconds(self.pid, self._worker)
        counts = {str(port): self._statistics(port) for port in range(self._ports)}
        return Look(
            now, waited,
            {port: count["ipackets"] for port, count in counts.items()},
            {port: count["opackets"] for port, count in counts.items()},
        )

    def watch(self, seconds: float, cpu_is_shared: bool = False) -> Window:
        return watch(self, seconds, cpu_is_shared)

    def busy_share(self, seconds: float) -> float:
        """Of a CPU, that its forwarding thread takes."""
        before = ran_seconds(self.pid, self._worker)
        time.sleep(seconds)
        return (ran_seconds(self.pid, self._worker) - before) / seconds
