"""What announces an idle tap's packets where the machine does not make it easy: io_uring is
forbidden, or signals find no room."""

import os
import signal
import socket
import sys

from lab import case, without_io_uring
from lab.tasks import pending_signals, tasks_of
from lab.traffic import Host, Stream, receive_all, transfer
from lab.waiting import until

_FORBIDDEN = {
    "EPERM": "io_uring_setup: Operation not permitted (forbidden by a seccomp profile or by",
    "ENOSYS": "io_uring_setup: Function not implemented (the kernel has no io_uring, or a",
}


class WithoutIoUringTest(case.GatewayCase):
    def start_gateway(self) -> None:
        """Each test starts it its own way."""

    def start_without_io_uring(self, error: str = "EPERM") -> None:
        self.gateway.start(sys.executable, "-B", without_io_uring.__file__, error)
        self.gateway.wait_until_in_sync()

    def trigger(self, port: str) -> tuple[str, str]:
        """What it is and why."""
        queue = self.gateway.ports()[port]["queues"][0]
        return queue["rx_trigger"], queue.get("rx_trigger_text", "")

    def test_auto_takes_epoll_and_says_why(self):
        for error, reason in _FORBIDDEN.items():
            with self.subTest(error):
                self.start_without_io_uring(error)
                self.gateway.apply(case.TWO_PORTS)
                kind, text = self.trigger("tap0")
                self.assertEqual(kind, "epoll")
                self.assertIn(f"no io_uring: {reason}", text)
                worker = self.gateway.ask("get", "workers", "-s", "0.1")["workers"][0]
                self.assertIn(reason, worker["status"]["io_uring_text"])
                queue = worker["queues"][0]
                self.assertEqual((queue["rx_trigger"], queue["rx_trigger_text"]), (kind, text))
                shown = " ".join(self.gateway.ctl("get", "workers", "-s", "0.1").stdout.split())
                self.assertEqual(shown.count(f"no io_uring: {reason}"), 2)
                self.assertEqual(self.gateway.log().count(f"no io_uring: {reason}"), 1)
                self.assertEqual(self.gateway.stop(), 0)

    def test_traffic_flows_and_nothing_is_lost_whatever_the_trigger_and_the_policy(self):
        self.start_without_io_uring()
        self.connect()
        for policy in ("poll", "adaptive", "interrupt"):
            self.gateway.ask("tune", "set", "idle_policy", policy)
            for trigger in ("auto", "epoll", "signal", "none"):
                with self.subTest(policy=policy, trigger=trigger):
                    self.gateway.ask("tune", "set", "rx_trigger", trigger, "--port", "tap0")
                    with Stream(self.near, self.far) as there, Stream(self.far, self.near) as back:
                        there.wait_for(50)
                        back.wait_for(50)
                    self.assertEqual((there.lost, back.lost), (0, 0))
                    self.assertTrue(there.in_order and back.in_order)
        transfer(self.near, self.far, 1 << 20)

    def test_io_uring_asked_for_by_name_is_refused_and_nothing_changes(self):
        self.start_without_io_uring()
        self.connect()
        for setting, name in (
            (["rx_trigger", "io_uring", "--port", "tap0"], 'rx_trigger of port "tap0"'),
            (["call_batching", "on", "--worker", "0"], "call_batching of worker 0"),
        ):
            answer = self.gateway.ctl("tune", "set", *setting)
            self.assertEqual(answer.returncode, 1, answer.stdout)
            self.assertIn(f"FAILED_PRECONDITION: knob {name}: ", answer.stderr)
            self.assertIn(_FORBIDDEN["EPERM"], answer.stderr)
            self.assertIn("auto takes the best there is", answer.stderr)
        self.assertEqual(self.gateway.ask("get", "config"), case.TWO_PORTS)
        self.near.ping(self.far)

    def test_a_configuration_from_where_there_was_io_uring_runs_without(self):
        named = {"knob": "rx_trigger", "port": "tap0", "value": "io_uring"}
        self.gateway.start()
        self.gateway.wait_until_in_sync()
        self.gateway.apply(case.TWO_PORTS | {"knobs": [named]})
        self.near.namespace.run(f"ip address add {self.near.address}/24 dev tap0")
        self.assertEqual(self.trigger("tap0"), ("io_uring", ""))
        self.assertEqual(self.gateway.stop(), 0)
        self.start_without_io_uring()
        kind, text = self.trigger("tap0")
        self.assertEqual(kind, "epoll")
        self.assertIn(f"no io_uring: {_FORBIDDEN['EPERM']}", text)
        self.near.ping(self.far)


class SignalOverflowTest(case.GatewayCase):
    """Two pairs of taps, each with a host at either end. All taps announce packets by signals, of
    which few can wait: the kernel replaces the others by one SIGIO, which names no tap."""

    _LIMIT = 8
    _FRAMES = 1000

    def connect_far(self) -> None:
        """The far ends are taps too: only these drop what finds no room, and count it."""

    def start_gateway(self) -> None:
        self.gateway.start("prlimit", f"--sigpending={self._LIMIT}")
        self.gateway.wait_until_in_sync()

    def set_up_pairs(self, policy: str) -> None:
        far = {"network_namespace": self.far.namespace.path}
        names = ("tap0", "tap1", "far0", "far1")
        self.gateway.apply({
            "ports": [{"name": name, "tap": far if name in ("far0", "far1") else {}}
                      for name in names],
            "cross_connects": [{"a": "tap0", "b": "far0"}, {"a": "tap1", "b": "far1"}],
            "knobs": [
                {"knob": "idle_policy", "value": policy},
                # A wakeup that is lost stays so for long.
                {"knob": "idle_longest_sleep", "value": "10s"},
                *({"knob": "rx_trigger", "port": name, "value": "signal"} for name in names),
            ],
        })
        for number in (0, 1):
            for host, device in ((self.near, f"tap{number}"), (self.far, f"far{number}")):
                address = host.address.replace("10.0.0.", f"10.0.{number}.")
                host.namespace.run(f"ip address replace {address}/24 dev {device}")
                host.namespace.run(f"ip link set {device} txqueuelen {2 * self._FRAMES}")

    def hosts(self, number: int) -> tuple[Host, Host]:
        """At the near and the far end of a pair."""
        return tuple(
            Host(host.namespace, host.address.replace("10.0.0.", f"10.0.{number}."))
            for host in (self.near, self.far)
        )

    def wait_until_armed(self) -> None:
        """Armed is what is idle and no longer read."""
        seen = [-1]

        def quiet() -> bool:
            stats = self.gateway.stats()
            reads = sum(
                queue.get("system_calls_by_kind", {}).get("read", 0) for queue in stats["queues"]
            )
            seen.append(reads)
            return seen[-2] == reads

        until(quiet, "all taps are armed")

    def assert_all_arrives_that_came_while_it_was_stopped(self) -> frozenset[int]:
        """The signals that were pending for the worker meanwhile."""
        pairs = [self.hosts(number) for number in (0, 1)]
        for near, far in pairs:
            near.ping(far)
        senders, receivers = [], []
        for near, far in pairs:
            receivers.append(far.receiver())
            senders.append(near.socket(socket.SOCK_DGRAM))
            senders[-1].connect(receivers[-1].getsockname())
        self.wait_until_armed()
        dataplane = self.gateway.pid("wakegate-dataplane")
        (worker,) = (task for task in tasks_of(dataplane) if task.is_worker)
        os.kill(dataplane, signal.SIGSTOP)
        try:
            for number in range(self._FRAMES):
                senders[0].send(str(number).encode())
            # It finds no room for its signal.
            senders[1].send(b"0")
            pending = pending_signals(dataplane, worker.tid)
        finally:
            os.kill(dataplane, signal.SIGCONT)
        for receiver, count in zip(receivers, (self._FRAMES, 1)):
            numbers = [int(datagram) for datagram in receive_all(receiver, count)]
            self.assertEqual(numbers, list(range(count)))
        for each in (*senders, *receivers):
            each.close()
        for near, far in pairs:
            near.ping(far)
            far.ping(near)
        self.assertEqual(self.gateway.pid("wakegate-dataplane"), dataplane)
        return pending

    def test_a_polling_worker_that_was_stopped_finds_all_that_came(self):
        self.set_up_pairs("poll")
        for _ in range(3):
            self.assertIn(signal.SIGIO, self.assert_all_arrives_that_came_while_it_was_stopped())

    def test_a_sleeping_worker_that_was_stopped_finds_all_that_came(self):
        for policy in ("adaptive", "interrupt"):
            self.set_up_pairs(policy)
            for _ in range(2):
                self.assert_all_arrives_that_came_while_it_was_stopped()


if __name__ == "__main__":
    case.main()
