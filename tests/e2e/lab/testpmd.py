"""Another program on DPDK: testpmd, at the other ends of memifs."""

import os
import pathlib
import subprocess

from lab.namespace import Namespace
from lab.waiting import until


class Testpmd:
    """Once it is started, connects to memif servers, or is the server, and forwards between two.

    `mode`: what testpmd calls its forward mode.
    """

    # Not the worker's CPU (lab.gateway.WORKER_CPU): both poll.
    _CPU = 0

    def __init__(
        self,
        namespace: Namespace,
        sockets: list[pathlib.Path],
        log: pathlib.Path,
        role: str = "client",
        mode: str = "io",
    ):
        self._namespace = namespace
        self._role = role
        self._sockets = sockets
        self._log = log
        devices = [
            f"--vdev=net_memif{number},role={role},socket-abstract=no,socket={path}"
            for number, path in enumerate(sockets)
        ]
        self._command = [
            "dpdk-testpmd", f"--lcores=0@{self._CPU},1@{self._CPU}", "--no-huge", "-m", "128",
            "--no-pci", "--no-telemetry", f"--file-prefix=testpmd-{os.getpid()}", *devices,
            "--", "--auto-start", f"--forward-mode={mode}", "--total-num-mbufs=8192", "--no-mlockall",
        ]
        self._process: subprocess.Popen | None = None

    def start(self) -> None:
        with open(self._log, "ab") as log:
            self._process = self._namespace.start(
                # Else it says only at its end that it forwards.
                ["stdbuf", "--output=L", *self._command],
                stdin=subprocess.PIPE, stdout=log, stderr=log,
            )
        until(self._forwards, "testpmd forwards")

    def _forwards(self) -> bool:
        text = self._log.read_text(encoding="utf-8", errors="replace")
        if self._process.poll() is not None:
            raise AssertionError(f"{' '.join(self._command)} ended:\n{text}")
        return "Press enter to exit" in text

    def kill(self) -> None:
        """Also where it was not started."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process = None
        self._log.unlink()
        if self._role == "server":  # Where these are left, the next one does not listen.
            for socket in self._sockets:
                socket.unlink()
