"""Ports on DPDK devices: traffic through another DPDK program, and what people see and get wrong."""

import json

from lab import case, pcap
from lab.testpmd import Testpmd
from lab.traffic import Stream, transfer
from lab.waiting import until


class EthdevTest(case.GatewayCase):
    """Two hosts: tap0 - memif a - testpmd - memif b - veth0."""

    def setUp(self):
        super().setUp()
        folder = self.gateway.run_dir.parent
        self.sockets = [folder / "a.sock", folder / "b.sock"]
        self.testpmd = Testpmd(self.near.namespace, self.sockets, folder / "testpmd.log")
        self.addCleanup(self.testpmd.kill)

    def memif(self, name: str, number: int, role: str = "server") -> dict:
        devargs = f"net_memif{number},role={role},socket-abstract=no,socket={self.sockets[number]}"
        return {"name": name, "ethdev": {"devargs": devargs}}

    def connect_through_testpmd(self):
        self.gateway.apply({
            "ports": [case.TAP, case.VETH, self.memif("a", 0), self.memif("b", 1)],
            "cross_connects": [{"a": "a", "b": "tap0"}, {"a": "b", "b": "veth0"}],
        })
        self.near.namespace.run(f"ip address add {self.near.address}/24 dev tap0")
        self.testpmd.start()
        self.wait_for("a", "STATE_UP")
        self.wait_for("b", "STATE_UP")

    def wait_for(self, port: str, state: str) -> dict:
        def status() -> dict | None:
            found = self.gateway.ports().get(port, {})
            return found if found.get("state") == state else None

        return until(status, f"port {port} is in {state}")

    def test_ping_udp_and_tcp_pass_through_another_dpdk_program(self):
        self.connect_through_testpmd()
        self.near.ping(self.far)
        for source, target in ((self.near, self.far), (self.far, self.near)):
            with Stream(source, target, per_second=500) as stream:
                stream.wait_for(500)
            self.assertEqual(stream.lost, 0)
            self.assertTrue(stream.in_order)
            transfer(source, target, 4 << 20)
        for host in (self.near, self.far):
            self.assertEqual(host.namespace.counter("Tcp", "InCsumErrors"), 0)
            self.assertEqual(host.namespace.counter("Udp", "InCsumErrors"), 0)

    def test_a_peer_that_goes_takes_the_carrier_and_one_that_comes_brings_it(self):
        self.connect_through_testpmd()
        self.near.ping(self.far)
        self.testpmd.kill()
        self.wait_for("a", "STATE_NO_CARRIER")
        self.assertEqual(self.gateway.log().count("port a has no carrier"), 1)
        self.testpmd.start()
        self.wait_for("a", "STATE_UP")
        self.wait_for("b", "STATE_UP")
        self.assertEqual(self.gateway.log().count("port a has a carrier"), 2)
        self.near.ping(self.far)

    # The driver unmaps the rings that a worker is in then.
    def test_a_server_that_is_killed_while_it_floods_fails_the_port_until_it_is_back(self):
        server = Testpmd(
            self.near.namespace, self.sockets[:1], self.gateway.run_dir.parent / "server",
            role="server", mode="txonly",
        )
        self.addCleanup(server.kill)
        server.start()
        client = self.memif("a", 0, role="client")
        self.gateway.apply({
            "ports": [case.TAP, client],
            "cross_connects": [{"a": "a", "b": "tap0"}],
        })
        dataplane = self.gateway.pid("wakegate-dataplane")
        for _ in range(5):
            self.wait_for("a", "STATE_UP")
            before = self.received("a")
            until(lambda: self.received("a") > before + 10_000, "it floods")
            server.kill()
            self.wait_for("a", "STATE_FAILED")
            server.start()
        self.assertEqual(self.gateway.pid("wakegate-dataplane"), dataplane)
        server.kill()

    def test_it_stops_cleanly_while_a_peer_is_connected(self):
        self.connect_through_testpmd()
        self.assertEqual(self.gateway.stop(), 0)

    def test_get_shows_the_device_why_nobody_sleeps_and_the_drivers_counters(self):
        self.gateway.apply({"ports": [{"name": "n", "ethdev": {"devargs": "net_null0"}}]})
        port = self.gateway.ports()["n"]
        self.assertEqual(port["kind"], "ethdev")
        self.assertEqual(port["interface"], "net_null0")
        self.assertEqual(port["sleep_obstacle"], "net_null has no Rx interrupts")
        self.assertEqual(port["queues"][0]["rx_trigger"], "none")
        self.assertIn("never sleeps", self.gateway.ctl("get", "ports").stdout)
        stats = self.gateway.ask("get", "device-stats", "n")["stats"]
        self.assertIn("rx_good_packets", stats)
        self.gateway.apply({"ports": []})  # It receives without end; the books must come to rest.

    def test_a_recorded_file_is_played_into_another(self):
        folder = self.gateway.run_dir.parent
        played, recorded = folder / "played.pcap", folder / "recorded.pcap"
        frames = [
            bytes.fromhex("020000000001 020000000002 88b5") + bytes([number % 251]) * length
            for number, length in enumerate([46, 47, 600, 1486, *[46] * 500])
        ]
        pcap.write(played, frames)
        cross_connects = [{"a": "player", "b": "recorder"}]
        # The recorder first: the player begins at once.
        recorder = {
            "name": "recorder",
            "ethdev": {"devargs": f"net_pcap1,rx_iface=lo,tx_pcap={recorded}"},
        }
        player = {
            "name": "player",
            "ethdev": {"devargs": f"net_pcap0,rx_pcap={played},tx_iface=lo"},
        }
        self.gateway.apply({"ports": [recorder, player], "cross_connects": cross_connects})
        until(lambda: self.sent("recorder") >= len(frames), "all are recorded")
        self.gateway.apply({})  # Closes the file.
        self.assertEqual(pcap.read(recorded), frames)

    def sent(self, port: str) -> int:
        return self.packets(port, "DIRECTION_TX")

    def received(self, port: str) -> int:
        return self.packets(port, "DIRECTION_RX")

    def packets(self, port: str, direction: str) -> int:
        return sum(
            queue["counters"].get("packets", 0) for queue in self.gateway.stats()["queues"]
            if queue["port"] == port and queue["direction"] == direction
        )

    def test_what_has_no_device_stats_says_so(self):
        self.connect()
        for port, answer in (("tap0", "FAILED_PRECONDITION"), ("nobody", "NOT_FOUND")):
            refused = self.gateway.ctl("get", "device-stats", port)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(answer, refused.stderr)

    def test_devices_that_do_not_work_are_refused_and_nothing_changes(self):
        self.connect()
        for devargs, answer in (
            ("net_nonsense0", "no driver has such a device"),
            ("ffff:ff:1f.6", "no such device"),
            ("net_memif0,role=nonsense", "its driver refused it"),
            ("net_memif0,role=client,socket=/run/nobody.sock", "its driver refused it"),
        ):
            wanted = {"ports": [*case.TWO_PORTS["ports"], {"name": "e", "ethdev": {"devargs": devargs}}]}
            refused = self.gateway.ctl("apply", "-f", "-", stdin=json.dumps(wanted))
            self.assertEqual(refused.returncode, 1)
            self.assertIn(answer, refused.stderr)
        self.assertEqual(set(self.gateway.ports()), {"tap0", "veth0"})
        self.near.ping(self.far)


if __name__ == "__main__":
    case.main()
