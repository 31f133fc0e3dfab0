"""The real binaries: the launcher with both programs, and the ways to talk to them."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile

from lab.namespace import Namespace
from lab.waiting import until

# Where Bazel runs tests: its runfiles, with the binaries at their targets' paths.
LAUNCHER = os.path.abspath("gateway/launcher/wakegate")
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
        self.launcher: subprocess.Popen | None = None

    def start(self, *dataplane_flags: str, wrapper: list[str] | None = None) -> None:
        """Returns at once. `wrapper` is a command that runs the launcher."""
        command = [
            *(wrapper or []), LAUNCHER, "--run-dir", str(self.run_dir),
            "--state-dir", str(self.state_dir), "--cores", str(WORKER_CPU), "--", *dataplane_flags,
        ]  # fmt: skip
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

    def stop(self) -> int:
        """SIGTERM; the launcher's exit status."""
        self.launcher.send_signal(signal.SIGTERM)
        return self.launcher.wait(timeout=30)

    def kill(self) -> None:
        """Nothing is left of it."""
        if self.launcher and self.launcher.poll() is None:
            self.launcher.kill()
            self.launcher.wait()

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def pid(self, program: str) -> int | None:
        """Of "wakegate-dataplane" or "wakegate-mgmt"; None while it does not run."""
        children = pathlib.Path(f"/proc/{self.launcher.pid}/task/{self.launcher.pid}/children")
        for child in children.read_text(encoding="ascii").split():
            try:
                command = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")[0]
            except FileNotFoundError:
                continue
            if command.decode().endswith("/" + program):
                return int(child)
        return None

    def ctl(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess:
        """wakegatectl on the Unix socket."""
        return subprocess.run(
            [_CTL, "--address", f"unix:{self.api_socket}", *arguments],
            input=stdin, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    def ask(self, *arguments: str, stdin: str | None = None) -> dict:
        """What wakegatectl answers; AssertionError if it fails."""
        answer = self.ctl(*arguments, "-o", "json", stdin=stdin)
        if answer.returncode != 0:
            raise AssertionError(f"wakegatectl {arguments}: {answer.stderr}")
        return json.loads(answer.stdout)

    def apply(self, config: dict, *arguments: str) -> dict:
        return self.ask("apply", "-f", "-", *arguments, stdin=json.dumps(config))

    def ports(self) -> dict[str, dict]:
        """Each port's status by its name."""
        return {port["name"]: port for port in self.ask("get", "ports").get("ports", [])}

    def stats(self) -> dict:
        return self.ask("stats")

    def scrape(self) -> str:
        return self.namespace.run(f"curl --silent --show-error --fail --max-time 10 {METRICS}")

    def assert_books_balance(self) -> None:
        """Waits until nothing moves: then every packet received was sent or dropped by name."""

        def balanced() -> bool:
            books = self.stats()["books"]
            left = books.get("sent", 0) + books.get("dropped", 0) + books.get("merged", 0)
            came = books.get("received", 0) + books.get("created", 0)
            return came == left and not books.get("held") and not books.get("difference")

        try:
            until(balanced, "balanced books", seconds=10)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{json.dumps(self.stats(), indent=1)}") from None
