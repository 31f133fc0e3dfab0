"""What operators are told of workers: who polls what, what woke it, and what it cost."""

import contextlib
import json
import os
import pathlib
import signal
import sys
import tempfile
import unittest

from lab import case
from lab.traffic import Stream
from lab.waiting import until

_MAPS = ("counters", "wakes_by_cause", "system_calls_by_kind")
_LATENCY = "/dev/cpu_dma_latency"
_LEVELS = {"held_packets", "longest_iteration_cycles"}


def key(stats: dict) -> tuple:
    """Of a queue's or a worker's counters in a snapshot."""
    return stats.get("port"), stats.get("direction"), stats.get("queue", 0), stats.get("worker", 0)


def counts(snapshot: dict, *lists: str) -> dict[tuple, int]:
    """Each counter that only grows, by whose it is, its map and its name. What is 0 is there too."""
    return {
        (*key(stats), kind, name): value
        for each in lists or ("workers", "queues")
        for stats in snapshot.get(each, [])
        for kind in _MAPS
        for name, value in stats.get(kind, {}).items()
        if name not in _LEVELS
    }


def reported(worker: dict) -> dict[tuple, int]:
    """The same of a report's worker."""
    queues = [queue["counts"] for queue in worker.get("queues", [])]
    return counts({"workers": [worker["counts"]], "queues": queues})


def messages(text: str) -> list[dict]:
    """JSON objects one after the other; the last may be cut off."""
    decoder, found = json.JSONDecoder(), []
    while text := text.lstrip():
        try:
            message, end = decoder.raw_decode(text)
        except json.JSONDecodeError:
            break
        found.append(message)
        text = text[end:]
    return found


class WorkersTest(case.GatewayCase):
    def setUp(self):
        super().setUp()
        self.connect()

    def assert_fits(self, *arguments: str) -> str:
        """What it prints for people."""
        answer = self.gateway.ctl(*arguments)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        for line in answer.stdout.splitlines():
            self.assertLessEqual(len(line), 100, line)
        return answer.stdout

    def test_an_explanations_counts_are_the_differences_of_the_ledger(self):
        with Stream(self.near, self.far):
            earlier = counts(self.gateway.stats())
            report = self.gateway.ask("explain", "worker", "0", "--seconds", "1")
            later = counts(self.gateway.stats())
        before, after = counts(report["before"]), counts(report["after"])
        grown = {name: value - before[name] for name, value in after.items()}
        self.assertEqual(reported(report["workers"][0]), grown)
        # Its snapshots are the ledger's: between those that this test took.
        self.assertEqual(after.keys(), later.keys())
        for name, value in after.items():
            self.assertLessEqual(earlier[name], before[name], name)
            self.assertLessEqual(value, later[name], name)
        packets = {name: count for name, count in grown.items() if name[-1] == "packets"}
        self.assertGreater(packets["tap0", "DIRECTION_RX", 0, 0, "counters", "packets"], 50)
        self.assertGreater(packets["veth0", "DIRECTION_TX", 0, 0, "counters", "packets"], 50)

    def test_an_explanation_is_read_by_people(self):
        with Stream(self.near, self.far):
            text = self.assert_fits("explain", "worker", "0", "-s", "1")
        self.assertIn("Worker 0 on CPU", text)
        for part in ("It was busy", "into its receive queues", "system calls", "kicks were saved"):
            self.assertIn(part, text)
        answer = self.gateway.ctl("explain", "worker", "5", "-s", "0.1")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("no worker 5; the data plane has 1 of them, from 0", answer.stderr)

    def test_workers_are_listed_with_their_queues(self):
        with Stream(self.near, self.far):
            report = self.gateway.ask("get", "workers", "--seconds", "1")
            text = self.assert_fits("get", "workers")
        worker, = report["workers"]
        self.assertEqual(worker["status"]["cpu"], 1)
        parts = sum(worker.get(part, 0) for part in ("busy", "idle", "asleep"))
        self.assertAlmostEqual(parts, 1)
        queues = [(q["counts"]["port"], q["counts"]["direction"]) for q in worker["queues"]]
        directions = ("DIRECTION_RX", "DIRECTION_TX")
        self.assertEqual(
            queues, [(port, way) for port in ("tap0", "veth0") for way in directions])
        for row in ("tap0/0 receive", "tap0/0 send", "veth0/0 receive", "veth0/0 send"):
            self.assertIn(row, text)

    def test_a_workers_knob_is_set_live_and_is_a_part_of_the_configuration(self):
        with Stream(self.near, self.far) as stream:
            for policy in ("poll", "interrupt", "adaptive"):
                change = self.gateway.ask("tune", "set", "idle_policy", policy, "--worker", "0")
                self.assertEqual(change["changes"][0]["object"], "knob idle_policy of worker 0")
                stream.wait_for(20)
            self.gateway.ask("tune", "set", "idle_spin", "0.2ms")
            self.gateway.ask("tune", "set", "rx_trigger", "none", "--port", "tap0")
            stream.wait_for(20)
        self.assertEqual(stream.lost, 0)
        self.assertEqual(
            self.gateway.ask("get", "config")["knobs"],
            [{"knob": "idle_spin", "value": "200us"},
             {"knob": "rx_trigger", "port": "tap0", "value": "none"}])
        knobs = {knob["name"]: knob for knob in self.gateway.ask("tune", "get")["knobs"]}
        self.assertEqual(
            knobs["idle_spin"]["values"], [{"worker": 0, "value": "200us"}])
        self.assertEqual([value["port"] for value in knobs["rx_trigger"]["values"]], ["tap0"])
        same = self.gateway.ask("tune", "set", "idle_spin", "0.2ms")
        self.assertEqual(same.get("changes", []), [])
        self.assert_fits("tune", "get")

    def explained(self) -> dict:
        """Worker 0, over a second."""
        report = self.gateway.ask("explain", "worker", "0", "--seconds", "1")
        return report["workers"][0]

    def test_the_end_of_the_longest_sleep_is_a_wake_by_the_timer(self):
        wakes = self.explained()["counts"]["wakes_by_cause"]
        self.assertGreater(wakes["timer"], 4)  # One each 100 ms.
        self.assertEqual(wakes["spurious"], 0)

    def test_a_sleep_that_has_not_ended_is_sleep(self):
        self.gateway.ask("tune", "set", "idle_longest_sleep", "10s")
        self.assertGreater(self.explained()["asleep"], 0.9)

    def latency_requests(self) -> int:
        """How many files of the data plane ask the kernel for a low latency."""
        folder, count = f"/proc/{self.gateway.pid('wakegate-dataplane')}/fd", 0
        for name in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):  # Closed since.
                count += os.readlink(f"{folder}/{name}") == _LATENCY
        return count

    @unittest.skipUnless(os.path.exists(_LATENCY), f"no {_LATENCY}")
    def test_a_low_cpu_latency_is_asked_for_as_long_as_a_worker_wants_it(self):
        def wanted() -> int:
            """Microseconds, of all that ask."""
            return int.from_bytes(pathlib.Path(_LATENCY).read_bytes(), sys.byteorder)

        of_others = wanted()
        self.assertEqual(self.latency_requests(), 0)
        self.gateway.ask("tune", "set", "cpu_dma_latency", "on", "--worker", "0")
        self.assertEqual((self.latency_requests(), wanted()), (1, 0))
        # Neither a second wish nor another change opens it again.
        self.gateway.ask("tune", "set", "cpu_dma_latency", "on")
        self.gateway.ask("tune", "set", "idle_policy", "interrupt")
        self.assertEqual((self.latency_requests(), wanted()), (1, 0))
        killed = self.gateway.pid("wakegate-dataplane")
        os.kill(killed, signal.SIGKILL)
        until(
            lambda: self.gateway.pid("wakegate-dataplane") not in (None, killed),
            "the data plane runs again",
        )
        until(
            lambda: self.gateway.wait_until_in_sync()["dataplane"]["pid"]
            == self.gateway.pid("wakegate-dataplane"),
            "mgmt knows of it",
        )
        self.assertEqual((self.latency_requests(), wanted()), (1, 0))
        self.gateway.ask("tune", "set", "cpu_dma_latency", "off")
        self.assertEqual((self.latency_requests(), wanted()), (0, of_others))

    def test_bursts_are_one_call_or_many_and_that_can_be_changed_under_traffic(self):
        def batches() -> tuple[bool, dict]:
            worker, = self.gateway.ask("get", "workers", "-s", "0.5")["workers"]
            calls = {}
            for queue in worker["queues"]:
                if queue["counts"]["port"] == "tap0":
                    for kind, count in queue["counts"]["system_calls_by_kind"].items():
                        calls[kind] = calls.get(kind, 0) + int(count)
            status = worker["status"]
            self.assertGreater(status["single_call_nanoseconds"], 0)
            self.assertGreater(status["batched_call_nanoseconds"], 0)
            return status.get("batches_calls", False), calls

        # Looked into in every turn: no call arms or fires a trigger.
        self.gateway.ask("tune", "set", "rx_trigger", "none", "--port", "tap0")
        with Stream(self.near, self.far) as stream:
            for value in ("off", "on", "off", "auto"):
                self.gateway.ask("tune", "set", "call_batching", value)
                stream.wait_for(50)
                is_on, calls = batches()
                if value != "auto":
                    self.assertEqual(is_on, value == "on")
                if value == "off":
                    self.assertEqual(calls.get("io_uring_enter", 0), 0)
                    self.assertGreater(calls["read"], 0)
                if value == "on":
                    self.assertGreater(calls["io_uring_enter"], 0)
        self.assertEqual(stream.lost, 0)

    def test_watching_outlives_the_data_plane(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        out, err = folder / "out", folder / "err"
        with out.open("w") as stdout, err.open("w") as stderr:
            watch = self.gateway.start_ctl(
                "stats", "--watch", "-i", "200ms", "-o", "json", stdout=stdout, stderr=stderr)
        self.addCleanup(watch.kill)

        def boot_ids() -> set[str]:
            return {message["boot_id"] for message in messages(out.read_text())}

        until(boot_ids, "counters come")
        os.kill(self.gateway.pid("wakegate-dataplane"), signal.SIGKILL)
        until(lambda: len(boot_ids()) == 2, "the counters of the next data plane come")
        watch.send_signal(signal.SIGINT)
        self.assertEqual(watch.wait(timeout=60), 0)
        gone, back = err.read_text().splitlines()
        self.assertTrue(gone.startswith("wakegatectl: no counters, waiting for them: "), gone)
        self.assertEqual(back, "wakegatectl: the counters come again")


if __name__ == "__main__":
    case.main()
