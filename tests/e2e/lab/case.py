"""What the end-to-end tests have in common: two hosts with a gateway between them."""

import os
import sys
import unittest

from lab import report
from lab.gateway import Gateway
from lab.namespace import Namespace
from lab.traffic import Host

TAP = {"name": "tap0", "tap": {}}
VETH = {"name": "veth0", "promiscuous": True, "af_packet": {}}
TWO_PORTS = {"ports": [TAP, VETH], "cross_connects": [{"a": "tap0", "b": "veth0"}]}


class GatewayCase(unittest.TestCase):
    """Each test has a running gateway of its own; after it, the books must balance.

    `near` is the gateway's own host, behind the tap. `far` is a namespace at the other end of a
    veth pair whose offloads nobody touched.
    """

    def setUp(self):
        near, far = Namespace(), Namespace()
        self.addCleanup(near.close)
        self.addCleanup(far.close)
        self.near = Host(near, "10.0.0.1")
        self.far = Host(far, "10.0.0.2")
        self.connect_far()
        # The near host hears what arrives at veth0 too, and must not answer there for its tap.
        near.run("sysctl -qw net.ipv4.conf.all.arp_ignore=1")
        self.gateway = Gateway(near)
        self.addCleanup(self.finish)
        self.start_gateway()

    def connect_far(self) -> None:
        """Makes the veth pair: the gateway's end is veth0."""
        near, far = self.near.namespace, self.far.namespace
        near.run(f"ip link add veth0 type veth peer name eth0 netns {far.path}")
        near.run("ip link set veth0 up")
        far.run(f"ip address add {self.far.address}/24 dev eth0")
        far.run("ip link set eth0 up")

    def start_gateway(self) -> None:
        self.gateway.start()
        self.gateway.wait_until_in_sync()

    def finish(self):
        """Checks what must hold after every test, and leaves nothing behind."""
        try:
            if self.gateway.runs:
                self.gateway.assert_books_balance()
        finally:
            self.gateway.kill()
            # Bazel shows it where the test fails.
            print(f"--- log of the gateway of {self.id()}\n{self.gateway.log()}", flush=True)

    def connect(self) -> None:
        """Applies TWO_PORTS and gives the near host its address."""
        self.gateway.apply(TWO_PORTS)
        self.near.namespace.run(f"ip address add {self.near.address}/24 dev tap0")


def main() -> None:
    """Runs the tests of the file that calls it."""
    runner = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=report.Result)
    name = os.environ.get("TESTBRIDGE_TEST_ONLY")  # Of bazel test --test_filter.
    only = ["-k", name] if name else []
    program = unittest.main(argv=sys.argv + only, testRunner=runner, exit=False)
    if path := os.environ.get("XML_OUTPUT_FILE"):
        program.result.write(path)
    sys.exit(not program.result.wasSuccessful())
