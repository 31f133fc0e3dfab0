"""Two workers, and queues that keep one of them too busy."""

from lab import case
from lab.traffic import Stream
from lab.waiting import until

# They receive without end.
_BUSY = ("busy", "uplink")


class BalanceTest(case.GatewayCase):
    def start_gateway(self) -> None:
        self.gateway.start(cores="0,1")
        self.gateway.wait_until_in_sync()

    def workers(self) -> dict[str, int]:
        """Of each port's first queue."""
        ports = self.gateway.ports().items()
        return {name: port["queues"][0].get("rx_worker", 0) for name, port in ports}

    def test_a_queue_moves_to_the_worker_that_has_time_and_no_packet_is_lost(self):
        busy = [
            {"name": name, "ethdev": {"devargs": f"net_null{number}"}}
            for number, name in enumerate(_BUSY)
        ]
        self.gateway.apply({
            "ports": [busy[0], case.TAP, busy[1], case.VETH],
            "cross_connects": case.TWO_PORTS["cross_connects"],
        })
        self.near.namespace.run(f"ip address add {self.near.address}/24 dev tap0")
        # In the order of their names: beside the one it is connected to, else where there are fewest.
        self.assertEqual(self.workers(), {"busy": 0, "tap0": 1, "uplink": 0, "veth0": 1})
        with Stream(self.near, self.far) as stream:
            until(
                lambda: len({self.workers()[name] for name in _BUSY}) == 2,
                "one of the two is on another worker", seconds=60,
            )
            stream.wait_for(50)
        self.assertEqual(stream.lost, 0)
        self.assertTrue(stream.in_order)
        # Each has a worker for itself, as good as: nothing moves any more.
        placed = self.workers()
        report = self.gateway.ask("explain", "worker", "1", "--seconds", "1")
        self.assertEqual(self.workers(), placed)
        shares = [
            queue.get("share", 0) for queue in report["workers"][0]["queues"]
            if queue["counts"]["port"] in _BUSY
        ]
        self.assertGreater(max(shares), 0.3)
        self.gateway.apply(case.TWO_PORTS)  # Else the books never come to rest.


if __name__ == "__main__":
    case.main()
