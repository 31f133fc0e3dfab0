"""Either process, or both, or the launcher ends in any way while traffic flows."""

import json
import os
import signal
import time

from lab import case
from lab.traffic import Stream
from lab.waiting import until


class CrashTest(case.GatewayCase):
    def setUp(self):
        super().setUp()
        self.connect()

    def kill(self, *programs: str) -> None:
        """Kills them at once and returns when each runs again."""
        killed = {program: self.gateway.pid(program) for program in programs}
        for pid in killed.values():
            os.kill(pid, signal.SIGKILL)
        for program, pid in killed.items():
            until(lambda: self.gateway.pid(program) not in (None, pid), f"{program} runs again")

    def boot_id(self) -> str:
        """Of the data plane that mgmt knows."""
        return self.gateway.ask("get", "status")["dataplane"]["boot_id"]

    def tap_addresses(self) -> list[str]:
        devices = json.loads(self.near.namespace.run("ip -json address show dev tap0"))
        return [address["local"] for address in devices[0]["addr_info"]]

    def test_no_packet_is_lost_while_mgmt_is_killed(self):
        before = self.gateway.ask("get", "status")
        with Stream(self.near, self.far) as there, Stream(self.far, self.near) as back:
            self.kill("wakegate-mgmt")
            after = self.gateway.wait_until_in_sync()
            there.wait_for(50)
            back.wait_for(50)
        self.assertEqual((there.lost, back.lost), (0, 0))
        self.assertTrue(there.in_order and back.in_order)
        self.assertEqual(after["generation"], before["generation"])
        self.assertEqual(after["dataplane"], before["dataplane"])
        self.assertEqual(self.gateway.ask("get", "config"), case.TWO_PORTS)

    def test_a_killed_dataplane_restores_itself_and_mgmt_notices(self):
        before = self.gateway.ask("get", "status")
        with Stream(self.near, self.far) as there, Stream(self.far, self.near) as back:
            there.wait_for(200)
            old_books = self.gateway.stats()["books"]
            self.kill("wakegate-dataplane")
            there.wait_for(100)
            back.wait_for(100)
            until(lambda: self.boot_id() != before["dataplane"]["boot_id"], "mgmt knows of it")
        print(f"outage: {there.longest_gap:.2f} s there, {back.longest_gap:.2f} s back", flush=True)
        self.assertLess(max(there.longest_gap, back.longest_gap), 60)
        after = self.gateway.wait_until_in_sync()
        self.assertEqual(after["generation"], before["generation"])
        self.assertEqual(after["dataplane"]["pid"], self.gateway.pid("wakegate-dataplane"))
        stats = self.gateway.stats()
        self.assertEqual(stats["boot_id"], after["dataplane"]["boot_id"])
        # The counters begin anew: they have at most what arrived since, and what got lost then.
        sent = there.sent + back.sent
        self.assertLess(stats["books"]["received"], sent - old_books["received"] + 20)

    def test_the_dataplane_restores_itself_without_mgmt(self):
        mgmt = self.gateway.pid("wakegate-mgmt")
        os.kill(mgmt, signal.SIGSTOP)
        try:
            with Stream(self.near, self.far) as stream:
                self.kill("wakegate-dataplane")
                stream.wait_for(100)
        finally:
            os.kill(mgmt, signal.SIGCONT)
        self.gateway.wait_until_in_sync()

    def test_traffic_flows_again_after_both_were_killed(self):
        before = self.gateway.ask("get", "status")
        with Stream(self.near, self.far) as stream:
            self.kill("wakegate-dataplane", "wakegate-mgmt")
            stream.wait_for(100)
        after = self.gateway.wait_until_in_sync()
        self.assertEqual(after["generation"], before["generation"])
        self.assertNotEqual(after["dataplane"]["boot_id"], before["dataplane"]["boot_id"])

    def test_sigterm_stops_both_cleanly_and_the_next_start_restores(self):
        with Stream(self.near, self.far):
            start = time.monotonic()
            self.assertEqual(self.gateway.stop(), 0)
            self.assertLess(time.monotonic() - start, 5)
        left = {path.name for path in self.gateway.run_dir.iterdir()}
        self.assertEqual(left, {"dataplane-config.json", "dataplane.lock"})
        self.assertEqual(self.tap_addresses(), [self.near.address])
        self.start_gateway()
        self.assertEqual(self.gateway.ask("get", "config"), case.TWO_PORTS)
        self.near.ping(self.far)

    def test_the_configuration_survives_the_loss_of_the_run_directory(self):
        self.assertEqual(self.gateway.stop(), 0)
        for path in self.gateway.run_dir.iterdir():
            path.unlink()
        self.start_gateway()
        self.assertEqual(self.gateway.ask("get", "config"), case.TWO_PORTS)
        self.near.ping(self.far)

    def test_a_killed_launcher_takes_both_with_it_and_the_next_start_restores(self):
        self.gateway.kill()
        self.start_gateway()
        self.near.ping(self.far)
        ledgers = [path.name for path in self.gateway.run_dir.glob("ledger.*")]
        self.assertEqual(ledgers, [f"ledger.{self.boot_id()}"])


if __name__ == "__main__":
    case.main()
