"""What every thread of the data plane is and does: its signals, its cores, its system calls."""

import os
import signal
import subprocess
import tempfile
import threading
import time

from lab import case
from lab.foreign import buf
from lab.gateway import WORKER_CPU
from lab.tasks import Task, tasks_of
from lab.traffic import Stream, transfer

# Those that announce packets, and those that people send. glibc keeps 32 and 33 for itself.
_PACKET_SIGNALS = {signal.SIGIO, *range(34, 65)}
_STOP_SIGNALS = {signal.SIGTERM, signal.SIGINT}
_POLL = {"knob": "idle_policy", "value": "poll"}


def worker_of(pid: int) -> Task:
    """The only one."""
    (worker,) = (task for task in tasks_of(pid) if task.is_worker)
    return worker


class TasksTest(case.GatewayCase):
    def collect_tasks_while_busy(self) -> set[Task]:
        """All tasks that are there at some time while there are traffic, calls and changes."""
        pid = self.gateway.pid("wakegate-dataplane")
        seen, done = set(), threading.Event()

        def look():
            while not done.is_set():
                seen.update(tasks_of(pid))

        looker = threading.Thread(target=look)
        looker.start()
        try:
            self.connect()
            with Stream(self.near, self.far):
                transfer(self.far, self.near, 1 << 20)
                for size in ("8", "16", "32"):
                    self.gateway.ask("tune", "set", "burst_size", size, "--port", "tap0")
                    buf(self.gateway, "wakegate.v1.GatewayService/GetStatus", {})
                self.gateway.scrape()
                self.gateway.apply({"ports": [case.TAP]})
                self.gateway.apply(case.TWO_PORTS)
        finally:
            done.set()
            looker.join()
        return seen

    def test_signals_are_blocked_and_cores_kept_free_in_every_task(self):
        tasks = self.collect_tasks_while_busy()
        self.assertIn("worker-0", {task.name for task in tasks})
        self.assertGreater(len({task.tid for task in tasks}), 3)
        for task in tasks:
            # Linux shows the signals that sigwait waits for, in main, as not blocked.
            wanted = _PACKET_SIGNALS | (set() if task.is_main else _STOP_SIGNALS)
            self.assertLessEqual(wanted, task.blocked_signals, task)
            if task.is_worker:
                self.assertEqual(task.cpus, {WORKER_CPU}, task)
            else:
                self.assertNotIn(WORKER_CPU, task.cpus, task)

    def test_every_signal_that_announces_a_packet_leaves_the_dataplane_alive(self):
        pid = self.gateway.pid("wakegate-dataplane")
        for number in sorted(_PACKET_SIGNALS):
            os.kill(pid, number)
        self.connect()
        self.near.ping(self.far)
        self.assertEqual(self.gateway.pid("wakegate-dataplane"), pid)


class IdleTest(case.GatewayCase):
    def system_calls_of_the_idle_worker(self, seconds: float) -> dict[str, int]:
        """By name, as strace counts them."""
        worker = worker_of(self.gateway.pid("wakegate-dataplane"))
        with tempfile.NamedTemporaryFile(dir="/run", mode="r", encoding="ascii") as summary:
            # Without -f, which would take the process's other threads, too.
            strace = subprocess.Popen(
                ["strace", "-c", "-o", summary.name, "-p", str(worker.tid)],
                stderr=subprocess.DEVNULL,
            )
            time.sleep(seconds)
            strace.send_signal(signal.SIGINT)
            strace.wait(timeout=120)
            rows = [line.split() for line in summary]
        # "% time, seconds, usecs/call, calls, [errors,] syscall"
        calls = {row[-1]: int(row[3]) for row in rows if len(row) >= 5 and row[3].isdigit()}
        # Where others want its CPU, such as a test beside this one, it yields.
        return {name: n for name, n in calls.items() if name not in ("sched_yield", "total")}

    def counted(self) -> tuple[int, int]:
        """Looks that a word in memory answered, and all system calls of queues and worker."""
        stats = self.gateway.stats()
        looks = [queue["counters"].get("polls_from_memory", 0) for queue in stats["queues"]]
        calls = [
            sum(n for kind, n in part.get("system_calls_by_kind", {}).items() if kind != "yield")
            for part in stats["queues"] + stats["workers"]
        ]
        return sum(looks), sum(calls)

    def test_looking_at_idle_packet_sockets_makes_no_system_call(self):
        near, far = self.near.namespace, self.far.namespace
        near.run(f"ip link add veth1 type veth peer name eth1 netns {far.path}")
        near.run("ip link set veth1 up")
        far.run("ip link set eth1 up")
        self.gateway.apply(
            {
                "ports": [case.VETH, {"name": "veth1", "af_packet": {}}],
                "cross_connects": [{"a": "veth0", "b": "veth1"}],
                "knobs": [_POLL],
            }
        )
        before = self.counted()
        self.assertEqual(self.system_calls_of_the_idle_worker(seconds=3), {})
        after = self.counted()
        self.assertGreater(after[0], before[0] + 1000)
        self.assertEqual(after[1], before[1])

    def test_looking_at_an_idle_tap_makes_no_system_call(self):
        self.gateway.apply(case.TWO_PORTS | {"knobs": [_POLL]})
        time.sleep(0.2)  # Until its trigger is armed.
        before = self.counted()
        self.assertEqual(self.system_calls_of_the_idle_worker(seconds=2), {})
        after = self.counted()
        self.assertGreater(after[0], before[0] + 1000)
        self.assertEqual(after[1], before[1])

    def test_a_worker_that_has_nothing_to_do_sleeps(self):
        self.gateway.apply(case.TWO_PORTS)
        time.sleep(0.2)
        # It looks around each 100 ms.
        calls = self.system_calls_of_the_idle_worker(seconds=3)
        self.assertIn("io_uring_enter", calls)
        self.assertLess(sum(calls.values()), 200)

    def test_an_idle_tap_without_a_trigger_is_read_at_each_look(self):
        # What the tests before would see if there were something to see.
        none = {"knob": "rx_trigger", "port": "tap0", "value": "none"}
        self.gateway.apply(case.TWO_PORTS | {"knobs": [_POLL, none]})
        before = self.counted()
        self.assertIn("read", self.system_calls_of_the_idle_worker(seconds=1))
        self.assertGreater(self.counted()[1], before[1] + 1000)


if __name__ == "__main__":
    case.main()
