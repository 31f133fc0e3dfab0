"""A gateway to measure, its surroundings, and traffic through it."""

import contextlib
import json
import os
import pathlib
import subprocess
import time

from harness.cpu import OTHER_CPU, on_both_cpus, program, ran_seconds
from harness.pausing import Pausable
from harness.window import Look, Window, watch
from lab.gateway import Gateway
from lab.namespace import Namespace
from lab.tasks import tasks_of

# The knobs of workers that never sleep.
POLLING = [{"knob": "idle_policy", "value": "poll"}]


class Bed(Pausable):
    """A context: one gateway with one worker, in a namespace of its own. When it ends the books
    must balance. Paused is its data plane."""

    def __init__(self):
        self.namespace = Namespace()
        self.gateway = Gateway(self.namespace)
        self._meter: subprocess.Popen | None = None

    def __enter__(self) -> "Bed":
        self.gateway.start(*on_both_cpus())
        self.gateway.wait_until_in_sync()
        pid = self.gateway.pid("wakegate-dataplane")
        (worker,) = (task.tid for task in tasks_of(pid) if task.is_worker)
        # Whoever cares for the workers' CPUs keeps management away from them.
        for task in tasks_of(self.gateway.pid("wakegate-mgmt")):
            os.sched_setaffinity(task.tid, {OTHER_CPU})
        self.pid, self.worker = pid, worker
        (ledger,) = pathlib.Path(self.gateway.run_dir).glob("ledger.*")
        self._meter = subprocess.Popen(
            [program("bench/meter"), str(ledger), str(pid), str(worker)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        return self

    def __exit__(self, kind, *unused) -> None:
        try:
            if kind is None:
                self.gateway.assert_books_balance()
            else:
                print(self.gateway.log())
        finally:
            if self._meter is not None:
                self._meter.stdin.close()
                self._meter.wait()
            self.gateway.kill()
            self.namespace.close()

    def apply(self, config: dict) -> None:
        self.gateway.apply(config)

    def tune(self, knob: str, value: str, *place: str) -> None:
        """`place`: as wakegatectl takes it, "--port", "tap0"."""
        self.gateway.ask("tune", "set", knob, value, *place)

    def run_batch(self, commands: list[str]) -> None:
        """Commands of ip(8)."""
        batch = "\n".join(commands)
        with self.namespace.start(["ip", "-batch", "-"], stdin=subprocess.PIPE, text=True) as ip:
            ip.communicate(batch)
        if ip.returncode != 0:
            raise RuntimeError(f"ip -batch: {commands}")

    def busy_shares(self, seconds: float) -> tuple[float, float]:
        """Of a CPU, that all threads of the data plane take, and its worker alone."""

        def ran() -> tuple[float, float]:
            threads = {task.tid: ran_seconds(self.pid, task.tid) for task in tasks_of(self.pid)}
            return sum(threads.values()), threads[self.worker]

        before, start = ran(), time.monotonic()
        time.sleep(seconds)
        after, end = ran(), time.monotonic()
        share, of_worker = ((b - a) / (end - start) for a, b in zip(before, after))
        return share, of_worker

    @contextlib.contextmanager
    def streaming(self, interval: str):
        """Within, a client is sent all counters at that interval."""
        command = ["stats", "--watch", "--interval", interval, "-o", "json"]
        client = self.gateway.start_ctl(*command, stdout=subprocess.DEVNULL)
        try:
            yield
            if client.poll() is not None:
                raise RuntimeError(f"wakegatectl {command} ended with {client.returncode}")
        finally:
            client.kill()
            client.wait()

    def look(self) -> Look:
        self._meter.stdin.write("\n")
        self._meter.stdin.flush()
        answer = json.loads(self._meter.stdout.readline())
        return Look(
            answer["nanoseconds"] / 1e9, answer["waited"] / 1e9, answer["received"],
            answer["sent"], answer["iterations"], answer["system_calls"],
        )

    def watch(self, seconds: float, cpu_is_shared: bool = False) -> Window:
        """What happens in the next so many seconds."""
        return watch(self, seconds, cpu_is_shared)
