"""The real binaries: the launcher with both programs, and the ways to talk to them."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile

from lab.namespace import Namespace
from lab.tasks import is_alive
from lab.waiting import until

# Where Bazel runs tests: its runfiles, with the binaries at their targets' paths.
_LAUNCHER = os.path.abspath("gateway/launcher/wakegate")
DATAPLANE = os.path.abspath("dataplane/wakegate-dataplane")
_CTL = os.path.abspath("gateway/ctl/wakegatectl")

API = "127.0.0.1:9470"
METRICS = "http://127.0.0.1:9471/metrics"
WORKER_CPU = 1


class Gateway:
    """One gateway in a namespace, with folders of its own that outlive its processes."""

    def __init__(self, namespace: Namespace):
        self.namespace = namespace
        folder = pathlib.Path(tempfile.mkdtemp(dir="/run"))
        self.run_dir = folder / "run"
        self.state_dir = folder / "state"
        self.api_socket = self.run_dir / "api.sock"
        self._log = folder / "log"
        self._log.touch()
        self.launcher: subprocess.Popen | None = None

    def start(self, *wrapper: str, cores: str = str(WORKER_CPU)) -> None:
        """Returns at once. `wrapper` is a command that runs the launcher."""
        command = [
            *wrapper, _LAUNCHER, "--cores", cores, "--run-dir", str(self.run_dir),
            "--state-dir", str(self.state_dir),
        ]
        with open(self._log, "ab") as log:
            self.launcher = self.namespace.start(command, stdout=log, stderr=log)

    def wait_until_in_sync(self) -> dict:
        """The status, once the data plane runs what is wanted."""

        def status() -> dict | None:
            if self.launcher.poll() is not None:
                raise AssertionError(f"wakegate exited with {self.launcher.returncode}")
            answer = self.ctl("get", "status", "-o", "json")
            found = json.loads(answer.stdout) if answer.returncode == 0 else {}
            return found if found.get("in_sync") else None

        return until(status, "the data plane runs the wanted configuration")

    @property
    def runs(self) -> bool:
        return self.launcher is not None and self.launcher.poll() is None

    def stop(self) -> int:
        """SIGTERM; the launcher's exit status."""
        self.launcher.send_signal(signal.SIGTERM)
        return self.launcher.wait(timeout=120)

    def kill(self) -> None:
        """Kills the launcher; returns when nothing is left of its programs either."""
        if not self.runs:
            return
        programs = self._programs()
        self.launcher.kill()
        self.launcher.wait()
        until(lambda: not any(map(is_alive, programs.values())), "the programs end with wakegate")

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def _programs(self) -> dict[str, int]:
        """Names and process ids of the launcher's children."""
        children = pathlib.Path(f"/proc/{self.launcher.pid}/task/{self.launcher.pid}/children")
        found = {}
        for child in children.read_text(encoding="ascii").split():
            try:
                command = pathlib.Path(f"/proc/{child}/cmdline").read_bytes()
            except FileNotFoundError:
                continue
            found[os.path.basename(command.split(b"\0")[0].decode())] = int(child)
        return found

    def pid(self, program: str) -> int | None:
        """Of "wakegate-dataplane" or "wakegate-mgmt"; None while it does not run."""
        return self._programs().get(program)

    def start_ctl(self, *arguments: str, **options) -> subprocess.Popen:
        """wakegatectl on the Unix socket, which goes on."""
        command = [_CTL, "--address", f"unix:{self.api_socket}", *arguments]
        return subprocess.Popen(command, **options)

    def ctl(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess:
        """wakegatectl on the Unix socket."""
        return subprocess.run(
            [_CTL, "--address", f"unix:{self.api_socket}", *arguments],
            input=stdin, capture_output=True, text=True, timeout=120, check=False,
        )

    def ask(self, *arguments: str, stdin: str | None = None) -> dict:
        """What wakegatectl answers; AssertionError if it fails."""
        answer = self.ctl(*arguments, "-o", "json", stdin=stdin)
        if answer.returncode != 0:
            raise AssertionError(f"wakegatectl {arguments}: {answer.stderr}")
        return json.loads(answer.stdout)

    def apply(self, config: dict, *arguments: str) -> dict:
        return self.ask("apply", "-f", "-", *arguments, stdin=json.dumps(config))

    def ports(self) -> dict[str, dict]:
        """Each port's status by its name; empty while there is no answer."""
        answer = self.ctl("get", "ports", "-o", "json")
        found = json.loads(answer.stdout).get("ports", []) if answer.returncode == 0 else []
        return {port["name"]: port for port in found}

    def stats(self) -> dict:
        return self.ask("stats")

    def scrape(self) -> str:
        return self.namespace.run(f"curl --silent --show-error --fail --max-time 10 {METRICS}")

    def assert_books_balance(self) -> None:
        """Waits until nothing moves: then every packet received was sent or dropped by name."""

        def balanced() -> bool:
            answer = self.ctl("stats", "-o", "json")
            if answer.returncode != 0:
                return False
            books = json.loads(answer.stdout)["books"]  # What is 0 is left out.
            left = books.get("sent", 0) + books.get("dropped", 0) + books.get("merged", 0)
            came = books.get("received", 0) + books.get("created", 0)
            return came == left and not {"held", "difference"} & books.keys()

        try:
            until(balanced, "balanced books", seconds=30)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.ctl('stats', '-o', 'json').stdout}") from None
