"""Two hosts talk through the gateway, and people look at it and change it while they do."""

import json

from lab import case
from lab.traffic import Stream, transfer


class ForwardingTest(case.GatewayCase):
    def setUp(self):
        super().setUp()
        self.connect()

    def test_ping_udp_and_tcp_pass_both_ways(self):
        self.near.ping(self.far)
        self.far.ping(self.near)
        for source, target in ((self.near, self.far), (self.far, self.near)):
            with Stream(source, target, per_second=500) as stream:
                stream.wait_for(500)
            self.assertEqual(stream.lost, 0)
            self.assertTrue(stream.in_order)
            transfer(source, target, 20 << 20)
        for host in (self.near, self.far):
            # Partial checksums of the untouched veth were completed.
            self.assertEqual(host.namespace.counter("Tcp", "InCsumErrors"), 0)
            self.assertEqual(host.namespace.counter("Udp", "InCsumErrors"), 0)

    def test_get_shows_ports_config_knobs_and_status(self):
        ports = self.gateway.ports()
        self.assertEqual(set(ports), {"tap0", "veth0"})
        self.assertEqual(ports["tap0"]["state"], "STATE_UP")
        self.assertEqual(ports["tap0"]["kind"], "tap")
        self.assertEqual(ports["tap0"]["cross_connected_to"], "veth0")
        self.assertEqual(ports["veth0"]["kind"], "af_packet")
        self.assertEqual(ports["veth0"]["mtu"], 1500)
        self.assertTrue(ports["veth0"]["promiscuous"])
        self.assertEqual(self.gateway.ask("get", "config"), case.TWO_PORTS)
        knobs = self.gateway.ask("get", "knobs")["knobs"]
        self.assertIn("burst_size", [knob["name"] for knob in knobs])
        status = self.gateway.ask("get", "status")
        self.assertTrue(status["dataplane_connected"])
        self.assertEqual(status["dataplane"]["pid"], self.gateway.pid("wakegate-dataplane"))

    def test_the_table_for_people_fits_100_columns(self):
        for what in ("ports", "knobs", "status"):
            for line in self.gateway.ctl("get", what).stdout.splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_diff_shows_what_apply_would_change_and_changes_nothing(self):
        wanted = {"ports": [case.TAP]}
        answer = self.gateway.ctl("diff", "-f", "-", stdin=json.dumps(wanted))
        self.assertEqual(answer.returncode, 4)
        self.assertIn("port veth0", answer.stdout)
        same = self.gateway.ctl("diff", "-f", "-", stdin=json.dumps(case.TWO_PORTS))
        self.assertEqual(same.returncode, 0)
        dry_run = self.gateway.apply(wanted, "--dry-run")
        self.assertEqual(
            {(change["action"], change["object"]) for change in dry_run["changes"]},
            {("ACTION_REMOVE", "port veth0"), ("ACTION_REMOVE", "cross-connect tap0 - veth0")},
        )
        self.assertEqual(self.gateway.ask("get", "config"), case.TWO_PORTS)
        self.near.ping(self.far)

    def test_the_burst_size_is_set_under_traffic_without_loss(self):
        with Stream(self.near, self.far) as there, Stream(self.far, self.near) as back:
            for size in ("1", "16", "64", "32"):
                self.gateway.ask("tune", "set", "burst_size", size, "--port", "tap0")
                self.gateway.ask("tune", "set", "burst_size", size, "--port", "veth0")
                there.wait_for(50)
                back.wait_for(50)
        self.assertEqual((there.lost, back.lost), (0, 0))
        self.assertTrue(there.in_order and back.in_order)

    def test_a_refused_change_costs_the_port_that_it_was_for_nothing(self):
        veth = case.VETH
        with Stream(self.near, self.far) as there, Stream(self.far, self.near) as back:
            for ports, answer in (
                ([{"name": "tap0", "tap": {"network_namespace": "nonesuch"}}, veth], "nonesuch"),
                ([{"name": "tap0", "tap": {"interface": "lo"}}, veth], "no tap"),
                ([{"name": "tap0", "ethdev": {"devargs": "net_bogus0"}}, veth], "net_bogus0"),
                ([case.TAP, {**veth, "af_packet": {"interface": "nonesuch"}}], "nonesuch"),
                ([case.TAP, {**veth, "af_packet": {"interface": "lo"}}], "not an Ethernet device"),
                ([case.TAP, {"name": "veth0", "af_xdp": {"interface": "nonesuch"}}], "nonesuch"),
            ):
                wanted = json.dumps({**case.TWO_PORTS, "ports": ports})
                refused = self.gateway.ctl("apply", "-f", "-", stdin=wanted)
                self.assertEqual(refused.returncode, 1)
                self.assertIn(answer, refused.stderr)
                there.wait_for(20)
                back.wait_for(20)
        self.assertEqual((there.lost, back.lost), (0, 0))

    def test_a_stale_generation_is_refused(self):
        stale = self.gateway.ask("get", "status")["generation"]
        self.gateway.ask("tune", "set", "burst_size", "16", "--port", "tap0")
        for command in (
            ("apply", "-f", "-", "--expect-generation", str(stale)),
            ("tune", "set", "burst_size", "8", "--port", "tap0", "--expect-generation", str(stale)),
        ):
            answer = self.gateway.ctl(*command, stdin='{"ports": []}')
            self.assertEqual(answer.returncode, 1)
            self.assertRegex(answer.stderr, f"ABORTED: .*{stale}")
        self.assertEqual(len(self.gateway.ports()), 2)

    def test_the_mtu_changes_and_ports_come_and_go_under_traffic(self):
        with Stream(self.near, self.far) as stream:
            raised = json.loads(json.dumps(case.TWO_PORTS))
            for port in raised["ports"]:
                port["mtu"] = 9000
            self.gateway.apply(raised)
            self.assertEqual(self.gateway.ports()["tap0"]["mtu"], 9000)
            raised["ports"].append({"name": "other", "memory": {"cable": "c"}})
            self.gateway.apply(raised)
            stream.wait_for(50)
            self.gateway.apply(case.TWO_PORTS)
            stream.wait_for(50)
        self.assertEqual(stream.lost, 0)


if __name__ == "__main__":
    case.main()
