"""What Prometheus sees."""

import re
import subprocess
import threading
import time

from lab import case
from lab.gateway import METRICS
from lab.traffic import Stream


def series(scrape: str) -> dict[str, float]:
    """Name with labels, and value."""
    lines = (line for line in scrape.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def counters(scrape: str) -> dict[str, float]:
    """Those that may only grow."""
    return {
        name: value
        for name, value in series(scrape).items()
        if re.match(r"wakegate_\w+(_total|_count|_sum|_bucket)\b", name)
    }


class MetricsTest(case.GatewayCase):
    def setUp(self):
        super().setUp()
        self.connect()

    def test_a_scrape_passes_promtool(self):
        self.near.ping(self.far)
        promtool = subprocess.run(
            ["promtool", "check", "metrics"], input=self.gateway.scrape(),
            capture_output=True, text=True, check=False,
        )
        self.assertEqual((promtool.returncode, promtool.stderr, promtool.stdout), (0, "", ""))

    def test_two_scrapers_at_once_see_counters_that_only_grow(self):
        histories = [[], []]

        def scrape(history: list[str]) -> None:
            for _ in range(20):
                history.append(self.gateway.scrape())

        with Stream(self.near, self.far) as stream:
            scrapers = [threading.Thread(target=scrape, args=(each,)) for each in histories]
            for scraper in scrapers:
                scraper.start()
            for scraper in scrapers:
                scraper.join()
        self.assertEqual(stream.lost, 0)
        for history in histories:
            self.assertEqual(len(history), 20)
            for before, after in zip(map(counters, history), map(counters, history[1:])):
                self.assertEqual(before.keys(), after.keys())
                shrunk = {name for name, value in before.items() if after[name] < value}
                self.assertEqual(shrunk, set())
            received = 'wakegate_rx_queue_packets_total{port="tap0",queue="0"}'
            first, last = counters(history[0]), counters(history[-1])
            self.assertGreater(last[received], first[received])

    def test_the_series_of_a_removed_port_vanish_and_its_packets_stay_in_the_sums(self):
        self.near.ping(self.far)
        before = series(self.gateway.scrape())
        self.assertTrue(any('port="veth0"' in name for name in before))
        self.gateway.apply({"ports": [case.TAP]})
        after = series(self.gateway.scrape())
        self.assertEqual([name for name in after if 'port="veth0"' in name], [])
        self.assertTrue(any('port="tap0"' in name for name in after))
        received = "wakegate_gateway_received_packets_total"
        self.assertGreaterEqual(after[received], before[received])

    def test_metrics_and_api_count_the_same(self):
        with Stream(self.near, self.far) as stream:
            stream.wait_for(200)
        self.gateway.assert_books_balance()
        scraped, books = series(self.gateway.scrape()), self.gateway.stats()["books"]
        for what in ("received", "created", "sent", "dropped", "merged"):
            self.assertEqual(scraped[f"wakegate_gateway_{what}_packets_total"], books.get(what, 0))


class StartTest(case.GatewayCase):
    def ask_until_in_sync(self) -> set[str]:
        """Scrapes and calls without a pause from the first moment; all kinds of outcomes."""
        outcomes = set()
        end = time.monotonic() + 120
        while time.monotonic() < end:
            curl = self.gateway.namespace.start(
                ["curl", "--silent", "--max-time", "5", "--output", "/dev/null",
                 "--write-out", "%{http_code}", METRICS],
                stdout=subprocess.PIPE, text=True,
            )
            code = curl.communicate()[0]
            outcomes.add(f"scrape: exit {curl.returncode}, HTTP {code}")
            answer = self.gateway.ctl("stats", "-o", "json", "--interval", "100ms")
            outcomes.add(f"call: {answer.returncode} {answer.stderr[:41].strip()}")
            if answer.returncode == 0 and code == "200":
                return outcomes
        raise AssertionError(f"no answer in 120 s: {outcomes}")

    def test_what_asks_in_the_first_moments_gets_an_answer_or_unavailable(self):
        for _ in range(3):
            self.gateway.kill()
            self.gateway.start()
            outcomes = self.ask_until_in_sync()
            self.gateway.wait_until_in_sync()
            allowed = {
                "scrape: exit 7, HTTP 000",  # Nobody listens yet.
                "scrape: exit 0, HTTP 200",
                "call: 3 wakegatectl: cannot reach the gateway at",
                "call: 1 wakegatectl: UNAVAILABLE: the data plane",
                "call: 0 ",
            }
            self.assertLessEqual(outcomes, allowed)
        self.assertNotIn("starting it again", self.gateway.log())


if __name__ == "__main__":
    case.main()
