"""Network namespaces without names: one lives as long as its object or a process in it."""

import contextlib
import ctypes
import os
import pathlib
import subprocess
import threading

_CLONE_NEWNET = 0x40000000  # linux/sched.h
_OWN_NAMESPACE = "/proc/thread-self/ns/net"
_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


class Namespace:
    """A network namespace with its loopback up, and without IPv6: nobody speaks unasked."""

    def __init__(self):
        # A thread that unshares does so for itself only.
        maker = threading.Thread(target=self._make)
        maker.start()
        maker.join()
        self.run("ip link set lo up")

    def _make(self) -> None:
        _check(_libc.unshare(_CLONE_NEWNET), "unshare")
        self._file = os.open(_OWN_NAMESPACE, os.O_RDONLY)
        for scope in ("all", "default"):
            pathlib.Path(f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6").write_text("1")

    def close(self) -> None:
        os.close(self._file)

    @contextlib.contextmanager
    def entered(self):
        """The calling thread is in the namespace. Sockets that it makes stay there."""
        home = os.open(_OWN_NAMESPACE, os.O_RDONLY)
        _check(_libc.setns(self._file, _CLONE_NEWNET), "setns")
        try:
            yield
        finally:
            _check(_libc.setns(home, _CLONE_NEWNET), "setns")
            os.close(home)

    @property
    def path(self) -> str:
        """Names the namespace to programs of this process's PID namespace (ip link … netns)."""
        return f"/proc/{os.getpid()}/fd/{self._file}"

    def start(self, command: list[str], **options) -> subprocess.Popen:
        """Starts a program in the namespace."""
        return subprocess.Popen(["nsenter", f"--net={self.path}", "--", *command], **options)

    def run(self, command: str) -> str:
        """Runs a command of blank-separated words; gives its output. RuntimeError if it fails."""
        with self.start(
            command.split(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            output = process.communicate()[0]
        if process.returncode != 0:
            raise RuntimeError(f"{command}: exited with {process.returncode}\n{output}")
        return output

    def counter(self, protocol: str, name: str) -> int:
        """A counter of /proc/net/snmp, such as Tcp InCsumErrors."""
        with self.entered(), open("/proc/thread-self/net/snmp", encoding="ascii") as file:
            rows = [line.split() for line in file if line.startswith(f"{protocol}: ")]
        return int(dict(zip(*rows))[name])
