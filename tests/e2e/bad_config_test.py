"""Configurations and values that make no sense: each is refused with a precise text, nothing of
it is applied, and traffic goes on."""

import json
import subprocess

from lab import case
from lab.foreign import buf_error, length_delimited, raw_call
from lab.tasks import peak_memory
from lab.traffic import Stream

_APPLY = "wakegate.v1.GatewayService/Apply"
_SET_KNOB = "wakegate.v1.TuningService/SetKnob"
_RESOURCE_EXHAUSTED = 8

_TAP1 = {"name": "tap1", "tap": {}}


def with_port(port: dict) -> dict:
    """The running configuration, and one port more."""
    return {**case.TWO_PORTS, "ports": [*case.TWO_PORTS["ports"], port]}


def with_cross_connect(a: str, b: str) -> dict:
    return {
        "ports": [*case.TWO_PORTS["ports"], _TAP1],
        "cross_connects": [*case.TWO_PORTS["cross_connects"], {"a": a, "b": b}],
    }


def with_knob(**setting) -> dict:
    return {**case.TWO_PORTS, "knobs": [{"knob": "burst_size", "port": "tap0", **setting}]}


# Name: configuration, status, and what the text must say.
_BAD = {
    "a port without a kind": (
        with_port({"name": "other"}), "INVALID_ARGUMENT", 'ports[2]: port "other" has no kind'),
    "a missing interface": (
        with_port({"name": "eth9", "af_packet": {}}), "NOT_FOUND",
        "port eth9: interface eth9: No such device"),
    "a missing interface beside good changes": (
        {"ports": [{**case.TAP, "mtu": 9000}, _TAP1, {"name": "eth9", "af_packet": {}}]},
        "NOT_FOUND", "port eth9: interface eth9: No such device"),
    "an interface of another kind": (
        with_port({"name": "x", "tap": {"interface": "lo"}}), "INVALID_ARGUMENT",
        "port x: TUNSETIFF lo: Invalid argument (it exists and is no tap"),
    "an interface that is no Ethernet device": (
        with_port({"name": "lo", "af_packet": {}}), "INVALID_ARGUMENT",
        "port lo: open lo: not an Ethernet device"),
    "a name given twice": (
        with_port(case.TAP), "INVALID_ARGUMENT", 'ports[2].name: a second port "tap0"'),
    "a name of 16 characters": (
        with_port({"name": "a" * 16, "tap": {}}), "INVALID_ARGUMENT", "has 16 bytes"),
    "an empty name": (with_port({"tap": {}}), "INVALID_ARGUMENT", "ports[2].name: is empty"),
    "a name with a slash": (
        with_port({"name": "a/b", "tap": {}}), "INVALID_ARGUMENT", "\"a/b\" has a '/'"),
    "a name that cannot be shown": (
        with_port({"name": "a\nb", "tap": {}}), "INVALID_ARGUMENT",
        "has a character that cannot be shown"),
    "a name that begins with a dash": (
        with_port({"name": "-a", "tap": {}}), "INVALID_ARGUMENT", "begins with '-'"),
    "the same interface twice": (
        with_port({"name": "again", "af_packet": {"interface": "veth0"}}), "INVALID_ARGUMENT",
        'ports[2].af_packet.interface: "veth0" is used by port "veth0" already'),
    "a cross-connect to nowhere": (
        with_cross_connect("tap1", "nowhere"), "INVALID_ARGUMENT",
        'cross_connects[1].b: no port "nowhere"'),
    "a cross-connect to itself": (
        with_cross_connect("tap1", "tap1"), "INVALID_ARGUMENT", "would be connected to itself"),
    "a port in two cross-connects": (
        with_cross_connect("tap1", "tap0"), "INVALID_ARGUMENT",
        'port "tap0" is in cross_connects[0] already'),
    "an MTU out of range": (
        with_port({**_TAP1, "mtu": 67}), "INVALID_ARGUMENT", "ports[2].mtu: 67 is not from 68"),
    "17 queues": (
        with_port({"name": "tap1", "tap": {"queues": 17}}), "INVALID_ARGUMENT",
        "ports[2].tap.queues: 17 is too many"),
    "a ring that is no power of two": (
        with_port({"name": "eth9", "af_packet": {"rx_ring_frames": 1000}}), "INVALID_ARGUMENT",
        "ports[2].af_packet.rx_ring_frames: 1000 is not a power of two"),
    "a knob out of range": (
        with_knob(value="0"), "INVALID_ARGUMENT", "knobs[0].value"),
    "an unknown knob": (
        with_knob(knob="burst", value="1"), "INVALID_ARGUMENT", 'knobs[0].knob'),
    "a worker that is not there": (
        {**case.TWO_PORTS, "knobs": [{"knob": "idle_policy", "worker": 99, "value": "poll"}]},
        "INVALID_ARGUMENT", "knobs[0].worker: 99, but the data plane has worker"),
    "a knob of a port that is not there": (
        with_knob(port="tap9", value="1"), "INVALID_ARGUMENT", 'knobs[0].port: no port "tap9"'),
}

# Name: text, and what the error must say. wakegatectl does not send it.
_BAD_TEXT = {
    "bad YAML": ("ports:\n  - name: [\n", "<stdin>:3: not YAML"),
    "an unknown field": (
        "ports:\n  - name: a\n    tap: {}\n    mtus: 9\n",
        '<stdin>:4: ports[0]: unknown field "mtus"',
    ),
    "an unknown kind": (
        "ports:\n  - name: a\n    tape: {}\n",
        '<stdin>:3: ports[0]: unknown field "tape"',
    ),
    "two kinds": (
        "ports:\n  - name: a\n    tap: {}\n    memory: {}\n",
        "<stdin>:4: ports[0]: tap and memory exclude each other",
    ),
    "a number that is none": ("ports:\n  - name: a\n    mtu: big\n", "<stdin>:3: ports[0].mtu: "),
    "nothing": ("", "<stdin>: is empty; to remove everything, say `ports: []`"),
    "only a comment": ("# none\n", "<stdin>: is empty"),
    "a name of 5 MiB": ("ports:\n  - name: " + "a" * (5 << 20), "more than the 4 MiB"),
}


class BadConfigTest(case.GatewayCase):
    def setUp(self):
        super().setUp()
        self.connect()
        self.before = self.running()

    def running(self) -> tuple:
        """All that a refused change must leave as it is."""
        status = self.gateway.ask("get", "status")
        for worker in status["dataplane"]["workers"]:
            worker.pop("shares_core", None)  # Depends on what else this machine does.
        links = json.loads(self.near.namespace.run("ip -json link show"))
        devices = {link["ifname"]: link["mtu"] for link in links}
        return self.gateway.ask("get", "config"), self.gateway.ports(), status, devices

    def assert_refused(self, answer: subprocess.CompletedProcess, exit_code: int, *texts: str):
        """It said so, briefly, and nothing has changed."""
        self.assertEqual(answer.returncode, exit_code, answer.stderr)
        for text in texts:
            self.assertIn(text, answer.stderr)
        self.assertLess(len(answer.stderr), 600)
        self.assertEqual(self.running(), self.before)

    def test_wakegatectl_tells_why_a_configuration_is_refused(self):
        with Stream(self.near, self.far) as stream:
            for name, (config, code, text) in _BAD.items():
                with self.subTest(name):
                    answer = self.gateway.ctl("apply", "-f", "-", stdin=json.dumps(config))
                    self.assert_refused(answer, 1, f"wakegatectl: {code}: ", text)
        self.assertEqual(stream.lost, 0)

    def test_a_foreign_client_gets_the_same_statuses(self):
        with Stream(self.near, self.far) as stream:
            for name, (config, code, text) in _BAD.items():
                with self.subTest(name):
                    error = buf_error(self.gateway, _APPLY, {"config": config})
                    self.assertEqual(error.code, code.lower())
                    self.assertIn(text, error.message)
            self.assertEqual(self.running(), self.before)
        self.assertEqual(stream.lost, 0)

    def test_a_text_that_is_no_configuration_is_not_sent(self):
        for name, (text, error) in _BAD_TEXT.items():
            with self.subTest(name):
                self.assert_refused(self.gateway.ctl("apply", "-f", "-", stdin=text), 2, error)
        missing = self.gateway.ctl("apply", "-f", "/run/missing.yaml")
        self.assert_refused(missing, 2, "/run/missing.yaml", "No such file")

    def test_a_bad_knob_is_refused_by_both_ways_of_setting_it(self):
        for knob, value, port, code, text in (
            ("burst_size", "0", "tap0", "INVALID_ARGUMENT", 'value: "0" is not'),
            ("burst_size", "many", "tap0", "INVALID_ARGUMENT", 'value: "many" is not'),
            ("burst", "8", "tap0", "NOT_FOUND", 'knob: unknown knob "burst"'),
            ("burst_size", "8", "tap9", "NOT_FOUND", 'port: no port "tap9"'),
            ("idle_policy", "poll", "tap0", "INVALID_ARGUMENT", "port: idle_policy is a knob of"),
            ("worker", "127", "tap0", "INVALID_ARGUMENT", "value: 127, but the data plane has"),
            ("rx_trigger", "epoll", "veth0", "INVALID_ARGUMENT", "port: rx_trigger is a knob of"),
        ):
            with self.subTest(knob=knob, value=value, port=port):
                answer = self.gateway.ctl("tune", "set", knob, value, "--port", port)
                self.assert_refused(answer, 1, code, text)
                request = {"knob": knob, "value": value, "port": port}
                error = buf_error(self.gateway, _SET_KNOB, request)
                self.assertEqual(error.code, code.lower())

    def test_a_stale_generation_is_aborted(self):
        answer = self.gateway.ctl(
            "apply", "-f", "-", "--expect-generation", "7", stdin='{"ports": []}'
        )
        self.assert_refused(answer, 1, "ABORTED", "7")
        request = {"config": {}, "expectedGeneration": "7"}
        self.assertEqual(buf_error(self.gateway, _APPLY, request).code, "aborted")

    def test_requests_without_measure_are_refused_in_bounded_memory(self):
        mgmt = self.gateway.pid("wakegate-mgmt")
        port_of_5_mib = length_delimited(1, length_delimited(1, b"a" * (5 << 20)))
        million_empty_ports = b"\x0a\x00" * 1_000_000
        for name, config in {
            "a name of 5 MiB": port_of_5_mib,
            "4 million ports": million_empty_ports * 4,
            "as many ports as a request may have": million_empty_ports * 2,
            "as many knobs as a request may have": b"\x1a\x00" * 2_000_000,
        }.items():
            with self.subTest(name):
                answer = raw_call(self.gateway, _APPLY, length_delimited(1, config))
                self.assertEqual(answer.status, _RESOURCE_EXHAUSTED, answer)
                self.assertNotEqual(answer.text, "")
                self.assertEqual(self.running(), self.before)
        print(f"peak memory of wakegate-mgmt: {peak_memory(mgmt) >> 20} MiB", flush=True)
        # A request of 4 MiB is 2 million messages of 100 bytes or more.
        self.assertLess(peak_memory(mgmt), 1 << 30)
        self.assertEqual(self.gateway.pid("wakegate-mgmt"), mgmt)

    def test_bytes_that_are_no_message_are_refused(self):
        answer = raw_call(self.gateway, _APPLY, b"\xff" * 100)
        self.assertNotEqual(answer.status, 0)
        self.assertEqual(self.running(), self.before)


if __name__ == "__main__":
    case.main()
