"""The other peer: Open vSwitch with its datapath in user space, forwarding with one core."""

import itertools
import json
import pathlib
import re
import socket
import subprocess
import tempfile
import time

from harness.cpu import OTHER_CPU, on_both_cpus, waited_seconds
from harness.pausing import Pausable
from harness.window import Look, Window, watch
from lab.gateway import WORKER_CPU
from lab.namespace import Namespace
from lab.tasks import tasks_of
from lab.waiting import until

_DAEMON = "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"
_SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
_COUNTS = re.compile(r"port \d+: (\S+) .*\n +RX packets:(\d+).*\n +TX packets:(\d+)")
_numbers = itertools.count()


class OpenVswitch(Pausable):
    """A context: within, it forwards between its two ports on the worker's CPU, which nobody else
    should want then. They are called as in `ports`, which has the settings of their interfaces as
    ovs-vsctl takes them."""

    def __init__(self, namespace: Namespace, ports: dict[str, list[str]]):
        self._namespace, self._ports = namespace, ports
        self._folder = pathlib.Path(tempfile.mkdtemp(dir="/run"))
        self._database = f"unix:{self._folder}/db.sock"
        self._settings = {
            "dpdk-init": "true",
            "dpdk-lcore-mask": hex(1 << OTHER_CPU),
            "pmd-cpu-mask": hex(1 << WORKER_CPU),
            # Without legacy-mem it would not start without huge pages.
            "dpdk-extra": '"--no-huge --legacy-mem -m 512 --no-pci --no-telemetry'
            f' --file-prefix=vswitch{next(_numbers)}"',
        }
        self._process: subprocess.Popen | None = None

    @property
    def command(self) -> list[str]:
        """What makes it do the same elsewhere."""
        return [
            _DAEMON, *(f"{key}={value}" for key, value in self._settings.items()),
            *(f"{port}: {' '.join(settings)}" for port, settings in self._ports.items()),
        ]

    def __enter__(self) -> "OpenVswitch":
        database = f"{self._folder}/db"
        self._run("ovsdb-tool", "create", database, _SCHEMA)
        self._server = self._start(
            "ovsdb-server", database, f"--remote=p{self._database}",
            f"--unixctl={self._folder}/server.ctl",
        )
        until((self._folder / "db.sock").exists, "ovsdb-server listens")
        self._configure("--no-wait", "init")
        for key, value in self._settings.items():
            self._configure("--no-wait", "set", "Open_vSwitch", ".", f"other_config:{key}={value}")
        self._process = self._start(
            *on_both_cpus(), _DAEMON, self._database, f"--unixctl={self._folder}/ctl"
        )
        self.pid = self._process.pid
        self._connect_ports()
        (self._worker,) = (
            task.tid for task in tasks_of(self.pid) if task.name.startswith("pmd-")
        )
        self._control = socket.socket(socket.AF_UNIX)
        self._control.connect(f"{self._folder}/ctl")
        return self

    def __exit__(self, *unused) -> None:
        self._control.close()
        for process in (self._process, self._server):
            process.terminate()
            process.wait(timeout=60)

    # Each packet of one port leaves by the other.
    def _connect_ports(self) -> None:
        bridge = ["--", "set", "bridge", "bench", "datapath_type=netdev", "fail_mode=secure"]
        self._configure("add-br", "bench", *bridge)
        for number, (port, settings) in enumerate(self._ports.items(), 1):
            interface = ["--", "set", "interface", port, f"ofport_request={number}", *settings]
            self._configure("add-port", "bench", port, *interface)
            flow = f"in_port={number},actions=output:{3 - number}"
            self._run("ovs-ofctl", "add-flow", f"unix:{self._folder}/bench.mgmt", flow)

    def _start(self, *command: str) -> subprocess.Popen:
        environment = {"OVS_RUNDIR": str(self._folder), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        with open(self._folder / "log", "ab") as log:
            return self._namespace.start(list(command), stdout=log, stderr=log, env=environment)

    def _run(self, *command: str) -> None:
        if self._start(*command).wait(timeout=60) != 0:
            log = (self._folder / "log").read_text(encoding="utf-8", errors="replace")
            raise RuntimeError(f"{' '.join(command)}: {log}")

    def _configure(self, *arguments: str) -> None:
        self._run("ovs-vsctl", f"--db={self._database}", "--timeout=50", *arguments)

    def _ask(self, method: str, *parameters: str) -> str:
        request = {"id": 0, "method": method, "params": parameters}
        self._control.sendall(json.dumps(request).encode())
        answer = b""
        while True:
            answer += self._control.recv(1 << 16)
            try:
                return json.loads(answer)["result"]
            except json.JSONDecodeError:
                continue  # There is more to come.

    def look(self) -> Look:
        now = time.monotonic()
        waited = waited_seconds(self.pid, self._worker)
        counts = _COUNTS.findall(self._ask("dpctl/show", "-s"))
        return Look(
            now, waited,
            {port: int(received) for port, received, _ in counts},
            {port: int(sent) for port, _, sent in counts},
        )

    def watch(self, seconds: float, cpu_is_shared: bool = False) -> Window:
        return watch(self, seconds, cpu_is_shared)
