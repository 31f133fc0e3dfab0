#!/usr/bin/env python3
"""Prints iperf3's JSON result (stdin) as one line; exits 1 if nothing arrived."""
import json
import sys


def main():
    result = json.load(sys.stdin)
    if "error" in result:
        print(f"iperf3: {result['error']}")
        return 1
    end = result["end"]
    if result["start"]["test_start"]["protocol"] == "TCP":
        received = end["sum_received"]
        more = f"{end['sum_sent'].get('retransmits', 0)} retransmitted"
    else:
        # Of a UDP test `sum` counts what was sent, and lost on the way.
        received = end["sum"]
        arrived = received["packets"] - received["lost_packets"]
        more = f"{arrived / received['seconds'] / 1000:.0f} kpps, {received['lost_percent']:.1f} % lost"
        received = {**received, "bytes": received["bytes"] * arrived // max(received["packets"], 1)}
    rate = received["bytes"] * 8 / received["seconds"]
    print(f"{rate / 1e9:6.2f} Gbit/s, {more}")
    return 0 if received["bytes"] > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
