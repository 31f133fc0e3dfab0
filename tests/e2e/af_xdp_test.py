"""A host behind an AF_XDP port, and what becomes of the XDP program when the gateway ends."""

import json
import os
import signal

from lab import case
from lab.traffic import Stream, transfer
from lab.waiting import until

_PORT = {"name": "veth0", "promiscuous": True, "af_xdp": {}}
_CONFIG = {"ports": [case.TAP, _PORT], "cross_connects": [{"a": "tap0", "b": "veth0"}]}


class AfXdpTest(case.GatewayCase):
    def setUp(self):
        super().setUp()
        self.gateway.apply(_CONFIG)
        self.near.namespace.run(f"ip address add {self.near.address}/24 dev tap0")

    def program(self, where: str = "dev veth0", ip: str = "ip") -> str | None:
        """The name of the XDP program on a device."""
        link = json.loads(self.near.namespace.run(f"{ip} -details -json link show {where}"))[0]
        return link["xdp"]["prog"]["name"] if "xdp" in link else None

    def test_tcp_and_udp_pass_both_ways_over_a_veth_that_nobody_has_touched(self):
        port = self.gateway.ports()["veth0"]
        self.assertEqual((port["kind"], port["state"]), ("af_xdp", "STATE_UP"))
        self.assertEqual(port["mode_text"], "native, copies, multi-buffer")
        self.assertIn("native, copies", self.gateway.ctl("get", "ports").stdout)
        self.near.ping(self.far)
        for source, target in ((self.near, self.far), (self.far, self.near)):
            with Stream(source, target, per_second=500) as stream:
                stream.wait_for(500)
            self.assertEqual(stream.lost, 0)
            transfer(source, target, 4 << 20)

    def explained(self) -> dict:
        return self.gateway.ask("explain", "port", "veth0", "--seconds", "1")

    def test_busy_polling_is_tuned_live_and_told_with_what_came_of_it(self):
        queue = self.explained()["status"]["queues"][0]
        self.assertEqual(queue["busy_poll"], "off")
        self.assertIn("links no NAPI instance", queue["busy_poll_text"])
        # A worker that sleeps leaves packets to the softirq.
        self.gateway.ask("tune", "set", "idle_policy", "poll")
        with Stream(self.far, self.near, per_second=500) as stream:
            stream.wait_for(100)
            self.gateway.ask("tune", "set", "busy_poll", "on", "--port", "veth0")
            report = self.explained()
            self.assertEqual(report["status"]["queues"][0]["busy_poll"], "io_uring")
            received = next(q for q in report["queues"] if q["direction"] == "DIRECTION_RX")
            self.assertGreater(int(received["counters"]["busy_poll_packets"]), 100)
            text = self.gateway.ctl("explain", "port", "veth0", "--seconds", "1").stdout
            self.assertIn("It is effective", text)
            self.gateway.ask("tune", "set", "busy_poll", "off", "--port", "veth0")
            self.assertEqual(self.explained()["status"]["queues"][0]["busy_poll"], "off")
        self.assertEqual(stream.lost, 0)

    def test_busy_polling_goes_on_with_the_new_instance_of_a_device_that_was_down(self):
        def queue() -> dict:
            return self.explained()["status"]["queues"][0]

        self.gateway.ask("tune", "set", "busy_poll", "on", "--port", "veth0")
        before = queue()["napi_id"]
        self.near.namespace.run("ip link set veth0 down")
        until(lambda: queue()["busy_poll"] == "off", "it has no instance")
        self.near.namespace.run("ip link set veth0 up")
        until(lambda: queue()["busy_poll"] == "io_uring", "it has one again")
        self.assertNotEqual(queue()["napi_id"], before)

    def test_after_sigkill_the_port_is_back_and_at_the_end_the_program_is_gone(self):
        self.assertEqual(self.program(), "wakegate_xsk")
        pid = self.gateway.pid("wakegate-dataplane")
        with Stream(self.near, self.far) as there, Stream(self.far, self.near) as back:
            there.wait_for(100)
            os.kill(pid, signal.SIGKILL)
            until(lambda: self.gateway.pid("wakegate-dataplane") not in (None, pid), "it is back")
            there.wait_for(100)
            back.wait_for(100)
        self.gateway.wait_until_in_sync()
        self.assertEqual(self.program(), "wakegate_xsk")
        self.assertEqual(self.gateway.stop(), 0)
        self.assertIsNone(self.program())

    def test_killed_for_good_it_leaves_no_program_behind_and_the_next_start_takes_the_device(self):
        self.gateway.kill()
        until(lambda: self.program() is None, "the program is gone")
        self.start_gateway()
        self.near.ping(self.far)

    def test_in_a_namespace_that_was_made_again_the_device_is_taken_again(self):
        near = self.near.namespace
        self.addCleanup(near.run, "ip netns delete pod")

        def make(outside: str) -> None:
            near.run("ip netns add pod")
            near.run(f"ip link add {outside} type veth peer name inside netns pod")
            near.run("ip -n pod link set inside up")

        make("outside0")
        inside = {"name": "inside", "af_xdp": {"network_namespace": "pod"}}
        self.gateway.apply({**_CONFIG, "ports": [*_CONFIG["ports"], inside]})
        self.assertEqual(self.program("dev inside", "ip -n pod"), "wakegate_xsk")
        near.run("ip netns delete pod")
        make("outside1")
        until(lambda: self.program("dev inside", "ip -n pod") == "wakegate_xsk", "it is taken")

    def test_renamed_the_device_stays_and_deleted_and_made_again_it_is_taken_again(self):
        self.near.namespace.run("ip link set veth0 down")
        self.near.namespace.run("ip link set veth0 name renamed")
        self.near.namespace.run("ip link set renamed up")
        until(lambda: self.gateway.ports()["veth0"]["interface"] == "renamed", "it is told")
        self.near.ping(self.far)
        self.near.namespace.run("ip link del renamed")
        until(lambda: self.gateway.ports()["veth0"]["state"] == "STATE_FAILED", "it is told")
        self.connect_far()
        until(lambda: self.gateway.ports()["veth0"]["state"] == "STATE_UP", "it is back")
        self.near.ping(self.far)


if __name__ == "__main__":
    case.main()
