"""Devices that vanish, under traffic or while the gateway is down, and come back."""

import json
import os
import signal
import time

from lab import case
from lab.namespace import Namespace
from lab.tasks import cpu_seconds_beside_workers, cpu_seconds_of_workers
from lab.traffic import Host, Stream
from lab.waiting import until

_IDLE_POLICIES = ("poll", "adaptive", "interrupt")
# Beside the pair tap0 - veth0.
_OTHER_PAIR = {
    "ports": [{"name": "tap1", "tap": {}}, {"name": "veth1", "promiscuous": True, "af_packet": {}}],
    "cross_connects": [{"a": "tap1", "b": "veth1"}],
}


class DeviceLossTest(case.GatewayCase):
    def setUp(self):
        super().setUp()
        self.connect()

    def port_in_state(self, name: str, state: str) -> dict:
        """Its status, once it is so."""

        def port() -> dict | None:
            found = self.gateway.ports().get(name, {})
            return found if found.get("state") == state else None

        return until(port, f"port {name} is in {state}")

    def assert_quiet(self, seconds: float, most_lines: int, workers_sleep: bool = False) -> None:
        """While a port is broken nobody talks much, nor works much."""
        dataplane = self.gateway.pid("wakegate-dataplane")
        lines, cpu = self.gateway.log().count("\n"), cpu_seconds_beside_workers(dataplane)
        of_workers = cpu_seconds_of_workers(dataplane)
        time.sleep(seconds)
        self.assertLessEqual(self.gateway.log().count("\n") - lines, most_lines)
        self.assertLess(cpu_seconds_beside_workers(dataplane) - cpu, 0.1 * seconds)
        if workers_sleep:
            self.assertLess(cpu_seconds_of_workers(dataplane) - of_workers, 0.5 * seconds)

    def add_other_pair(self) -> tuple[Host, Host]:
        """Two more hosts, whose traffic must not suffer."""
        far = Namespace()
        self.addCleanup(far.close)
        near = self.near.namespace
        near.run(f"ip link add veth1 type veth peer name eth0 netns {far.path}")
        near.run("ip link set veth1 up")
        far.run("ip address add 10.0.1.2/24 dev eth0")
        far.run("ip link set eth0 up")
        self.gateway.apply(
            {kind: case.TWO_PORTS[kind] + _OTHER_PAIR[kind] for kind in case.TWO_PORTS}
        )
        near.run("ip address add 10.0.1.1/24 dev tap1")
        return Host(near, "10.0.1.1"), Host(far, "10.0.1.2")

    def times_logged(self, text: str) -> int:
        return self.gateway.log().count(text)

    def test_a_veth_deleted_under_traffic_fails_alone_and_comes_back(self):
        other_near, other_far = self.add_other_pair()
        for times, policy in enumerate(_IDLE_POLICIES, start=1):
            self.gateway.ask("tune", "set", "idle_policy", policy)
            with Stream(self.near, self.far) as stream, Stream(other_near, other_far) as unharmed:
                # Deletes its peer, too.
                self.near.namespace.run("ip link delete veth0")
                failed = self.port_in_state("veth0", "STATE_FAILED")
                self.assertIn("veth0", failed["state_text"])
                self.assertEqual(self.gateway.ports()["tap0"]["state"], "STATE_UP")
                self.assert_quiet(seconds=3, most_lines=3, workers_sleep=policy != "poll")
                self.assertEqual(self.times_logged("port veth0 failed"), times)
                self.connect_far()
                self.port_in_state("veth0", "STATE_UP")
                self.near.forget_neighbors()
                stream.wait_for(100)
                unharmed.wait_for(100)
            self.assertEqual(unharmed.lost, 0, policy)
            self.assertTrue(unharmed.in_order, policy)
            self.assertEqual(self.times_logged("port veth0 is back"), times)

    def test_a_tap_deleted_under_traffic_is_made_again(self):
        for times, policy in enumerate(_IDLE_POLICIES, start=1):
            self.gateway.ask("tune", "set", "idle_policy", policy)
            with Stream(self.far, self.near) as stream:
                self.near.namespace.run("ip link delete tap0")
                until(lambda: self.times_logged("port tap0 is back") == times, "tap0 is back")
                self.port_in_state("tap0", "STATE_UP")
                self.near.namespace.run(f"ip address add {self.near.address}/24 dev tap0")
                self.far.forget_neighbors()
                stream.wait_for(100)
            self.assertEqual(self.times_logged("port tap0 failed"), times)

    def test_a_carrier_that_goes_and_comes_is_logged(self):
        for times in (1, 2):
            self.far.namespace.run("ip link set eth0 down")
            self.port_in_state("veth0", "STATE_NO_CARRIER")
            self.far.namespace.run("ip link set eth0 up")
            self.port_in_state("veth0", "STATE_UP")
            self.assertEqual(self.times_logged("port veth0 has no carrier"), times)
            self.assertEqual(self.times_logged("port veth0 has a carrier"), times)
        self.near.namespace.run("ip link set tap0 down")
        self.port_in_state("tap0", "STATE_NO_CARRIER")
        why = "port tap0 has no carrier: the interface was put down by somebody else"
        self.assertEqual(self.times_logged(why), 1)

    def test_a_device_that_vanished_before_the_start_fails_its_port_only(self):
        self.assertEqual(self.gateway.stop(), 0)
        self.near.namespace.run("ip link delete veth0")
        self.gateway.start()
        failed = self.port_in_state("veth0", "STATE_FAILED")
        self.assertIn("veth0", failed["state_text"])
        self.port_in_state("tap0", "STATE_UP")
        self.assert_quiet(seconds=20, most_lines=3)
        self.connect_far()
        self.port_in_state("veth0", "STATE_UP")
        self.gateway.wait_until_in_sync()
        self.near.forget_neighbors()
        self.near.ping(self.far)

    def test_a_tap_moved_to_another_namespace_goes_on(self):
        elsewhere = Namespace()
        self.addCleanup(elsewhere.close)
        self.near.namespace.run(f"ip link set tap0 netns {elsewhere.path}")
        elsewhere.run(f"ip address add {self.near.address}/24 dev tap0")
        elsewhere.run("ip link set tap0 up")
        Host(elsewhere, self.near.address).ping(self.far)
        self.port_in_state("tap0", "STATE_UP")

    def test_a_namespace_that_was_made_again_gets_its_tap_again(self):
        near = self.near.namespace
        near.run("ip netns add pod")
        self.addCleanup(near.run, "ip netns delete pod")
        inside = {"name": "inside", "tap": {"network_namespace": "pod"}}
        self.gateway.apply({"ports": [*case.TWO_PORTS["ports"], inside]})
        self.assertIn("inside", near.run("ip -n pod -o link show"))
        near.run("ip netns delete pod")
        near.run("ip netns add pod")
        until(lambda: "inside" in near.run("ip -n pod -o link show"), "the tap is in there")
        self.port_in_state("inside", "STATE_UP")

    def test_a_refused_configuration_leaves_no_tap_behind(self):
        taps = [{"name": f"new{number}", "tap": {}} for number in range(20)]
        bad = {"name": "zz", "af_packet": {"interface": "nowhere"}}
        wanted = {"ports": [*case.TWO_PORTS["ports"], *taps, bad]}
        refused = self.gateway.ctl("apply", "-f", "-", stdin=json.dumps(wanted))
        self.assertEqual(refused.returncode, 1)
        self.assertIn("nowhere", refused.stderr)
        self.assertNotIn("new", self.near.namespace.run("ip -o link show"))

    def test_a_moved_tap_is_found_again_after_the_data_plane_was_killed(self):
        near = self.near.namespace
        near.run("ip netns add blue")
        self.addCleanup(near.run, "ip netns delete blue")
        near.run("ip link set tap0 netns blue name inside")
        near.run(f"ip -n blue address add {self.near.address}/24 dev inside")
        near.run("ip -n blue link set inside up")
        before = near.run("ip -n blue -o link show inside").split()[0]
        ping = f"ip netns exec blue ping -c 3 -i 0.1 -w 60 {self.far.address}"
        near.run(ping)
        killed = self.gateway.pid("wakegate-dataplane")
        os.kill(killed, signal.SIGKILL)
        until(
            lambda: self.gateway.pid("wakegate-dataplane") not in (None, killed),
            "the data plane runs again",
        )
        near.run(ping)
        self.port_in_state("tap0", "STATE_UP")
        port = self.gateway.ports()["tap0"]
        self.assertEqual((port["interface"], port["network_namespace"]), ("inside", "blue"))
        self.assertEqual(near.run("ip -n blue -o link show inside").split()[0], before)
        self.assertNotIn("tap0", near.run("ip -o link show"))
        self.assertEqual(self.gateway.log().count("found as inside in network namespace blue"), 1)


if __name__ == "__main__":
    case.main()
