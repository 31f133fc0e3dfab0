"""A gRPC client that is not ours, and that knows the API by reflection only."""

from lab import case
from lab.foreign import Status, buf, buf_error, buf_stream, length_delimited, raw_call

_APPLY = "wakegate.v1.GatewayService/Apply"
_SERVING = b"\x08\x01"  # HealthCheckResponse{status: SERVING}


class ForeignClientTest(case.GatewayCase):
    def test_applies_over_tcp_and_reads_over_the_unix_socket(self):
        applied = buf(self.gateway, _APPLY, {"config": case.TWO_PORTS})
        self.assertEqual(applied["generation"], "1")
        self.assertEqual(len(applied["changes"]), 3)
        read = buf(
            self.gateway, "wakegate.v1.GatewayService/GetConfig", {}, "--unix-socket",
            str(self.gateway.api_socket),
        )
        self.assertEqual(read["generation"], "1")
        self.assertEqual([port["name"] for port in read["config"]["ports"]], ["tap0", "veth0"])
        self.near.namespace.run(f"ip address add {self.near.address}/24 dev tap0")
        self.near.ping(self.far)

    def test_streams_the_counters(self):
        self.connect()
        messages = buf_stream(
            self.gateway, "wakegate.v1.StatsService/StreamStats", {"interval": "0.1s"}, count=5
        )
        snapshots = [message["snapshot"] for message in messages]
        self.assertEqual(len(snapshots), 5)
        times = [snapshot["time"] for snapshot in snapshots]
        self.assertEqual(times, sorted(set(times)))
        self.assertEqual({queue["port"] for queue in snapshots[-1]["queues"]}, {"tap0", "veth0"})

    def test_gets_the_errors_that_the_api_promises(self):
        self.connect()
        nameless = {"config": {"ports": [{"name": "far away", "tap": {}}]}}
        self.assertEqual(
            buf_error(self.gateway, _APPLY, nameless),
            Status(
                "invalid_argument",
                "ports[0].name: \"far away\" has a ' '; use letters, digits, '_', '-' and '.'",
            ),
        )
        stale = {"config": case.TWO_PORTS, "expectedGeneration": 99}
        self.assertEqual(buf_error(self.gateway, _APPLY, stale).code, "aborted")
        unknown = {"ports": ["nowhere"]}
        error = buf_error(self.gateway, "wakegate.v1.StatsService/GetStats", unknown)
        self.assertEqual(error.code, "not_found")
        self.assertIn("nowhere", error.message)

    def test_asks_for_the_health_of_both_processes(self):
        for service in (b"", b"wakegate.dataplane"):
            answer = raw_call(
                self.gateway, "grpc.health.v1.Health/Check", length_delimited(1, service)
            )
            self.assertEqual((answer.status, answer.message), (0, _SERVING))


if __name__ == "__main__":
    case.main()
