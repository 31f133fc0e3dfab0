"""What the gateway needs of the machine is not there: it says so, and what to do."""

import json
import re
import subprocess

from lab import case
from lab.gateway import DATAPLANE


class SurroundingsTest(case.GatewayCase):
    def start_gateway(self) -> None:
        """Each test starts it its own way."""

    def start_with(self, *wrapper: str) -> None:
        """Starts it through a command that takes something away."""
        self.gateway.start(*wrapper)
        self.gateway.wait_until_in_sync()

    def refusal(self, config: dict) -> str:
        """How it refuses the configuration."""
        answer = self.gateway.ctl("apply", "-f", "-", stdin=json.dumps(config))
        self.assertEqual(answer.returncode, 1, answer.stdout)
        self.assertEqual(self.gateway.ports(), {})
        return answer.stderr

    def run_dataplane(self, *flags: str, wrapper: tuple[str, ...] = ()) -> tuple[int, str]:
        """A data plane that must give up: its exit status and its text."""
        process = subprocess.run(
            [*wrapper, DATAPLANE, "--run-dir", str(self.gateway.run_dir), *flags],
            capture_output=True, text=True, timeout=120, check=False,
        )
        return process.returncode, process.stderr

    def test_without_cap_net_admin_a_tap_is_refused_and_says_what_it_needs(self):
        self.start_with("setpriv", "--bounding-set", "-net_admin")
        self.assertRegex(
            self.refusal({"ports": [case.TAP]}),
            r"PERMISSION_DENIED: port tap0: TUNSETIFF tap0: .*CAP_NET_ADMIN",
        )

    def test_without_cap_net_raw_a_packet_socket_is_refused_and_says_what_it_needs(self):
        self.start_with("setpriv", "--bounding-set", "-net_raw")
        self.assertRegex(
            self.refusal({"ports": [case.VETH]}), r"PERMISSION_DENIED: port veth0: .*CAP_NET_RAW"
        )

    def test_without_dev_net_tun_a_tap_is_refused_and_says_what_to_do(self):
        self.start_with(
            "unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /dev/net && exec "$@"', "sh"
        )
        self.assertRegex(self.refusal({"ports": [case.TAP]}), r"/dev/net/tun: No such file.*\(.+\)")

    def test_the_status_says_what_memory_the_packets_live_in(self):
        self.start_with()
        text = self.gateway.ask("get", "status")["dataplane"]["memory_text"]
        self.assertIn(f" runs on {text}", self.gateway.log())
        dataplane = self.gateway.pid("wakegate-dataplane")
        with open(f"/proc/{dataplane}/smaps_rollup", encoding="ascii") as file:
            has_hugepages = not re.search(r"Private_Hugetlb:\s+0 kB", file.read())
        kind = "2 MB hugepages" if has_hugepages else "4 KB pages (not enough free hugepages)"
        self.assertIn(f"256 MB of {kind}", text)

    def test_too_little_memory_ends_the_dataplane_with_what_to_do(self):
        limit = ("prlimit", f"--as={600 << 20}")
        code, text = self.run_dataplane("--memory", "1024", wrapper=limit)
        self.assertEqual(code, 1)
        self.assertRegex(text, "did not start with 1024 MB of .*Ask for less with --memory")

    def test_a_second_dataplane_leaves_the_first_ones_run_directory_alone(self):
        self.start_with()
        self.connect()
        code, text = self.run_dataplane()
        self.assertEqual(code, 1)
        holder = self.gateway.pid("wakegate-dataplane")
        self.assertIn(f"another wakegate-dataplane (process {holder}) runs with", text)
        self.assertIn(f"--run-dir {self.gateway.run_dir}; stop it or name another", text)
        self.near.ping(self.far)

    def test_flags_that_make_no_sense_are_wrong_usage(self):
        for flag, value, text in (
            ("--cores", "9999", "--cores=9999"),
            ("--cores", "3-1", "write \"auto\", or CPUs such as"),
            ("--memory", "1", "--memory"),
            ("--log-level", "loud", "--log-level"),
        ):
            with self.subTest(flag, value=value):
                code, error = self.run_dataplane(flag, value)
                self.assertEqual(code, 2, error)
                self.assertIn(text, error)

    def test_the_launcher_says_which_program_did_not_come_up(self):
        lock = self.gateway.run_dir / "dataplane.lock"
        lock.mkdir(parents=True)  # In the way of the data plane only.
        self.gateway.start()
        self.assertEqual(self.gateway.launcher.wait(timeout=120), 1)
        log = self.gateway.log()
        self.assertIn("wakegate-dataplane exited with status 1 as soon as it started", log)
        self.assertIn(f"open {lock}: Is a directory", log)


if __name__ == "__main__":
    case.main()
