"""P7: a scrape and a stream of all counters, ten times a second each, under full load."""

import contextlib
import threading
from functools import partial

from harness.bed import POLLING, Bed
from harness.figures import Report, not_below
from harness.rounds import Effort, interleave

NAME = "P7"
WHAT = "two fast ports (net_null) under full load, with and without somebody who looks"
SMOKE = {
    "results": {"nobody looks", "scrape and StreamStats at 10 Hz"},
    "ratios": {"scrape and StreamStats at 10 Hz of nobody looks"},
}
_LOOKING = "scrape and StreamStats at 10 Hz"
_CONFIG = {
    "ports": [
        {"name": f"fast{number}", "ethdev": {"devargs": f"net_null{number}"}} for number in range(2)
    ],
    "cross_connects": [{"a": "fast0", "b": "fast1"}],
}


@contextlib.contextmanager
def _observed(bed: Bed):
    """Within, both observers look."""
    done = threading.Event()

    def scrape() -> None:
        while not done.wait(0.1):
            bed.gateway.scrape()

    scraper = threading.Thread(target=scrape)
    scraper.start()
    try:
        with bed.streaming("100ms"):
            yield
    finally:
        done.set()
        scraper.join()


def measure(report: Report, effort: Effort) -> None:
    with Bed() as bed:
        bed.apply({**_CONFIG, "knobs": POLLING})

        def forward(looking: bool) -> None:
            with _observed(bed) if looking else contextlib.nullcontext():
                window = bed.watch(effort.seconds(1))
            name = _LOOKING if looking else "nobody looks"
            report.add(name, "Mpps", window.received_rate("fast0"))

        interleave(effort.rounds_or(21), [partial(forward, looking) for looking in (False, True)])
        bed.apply({})  # The books are whole only once nothing moves.
    report.quotient(f"{_LOOKING} of nobody looks", _LOOKING, "nobody looks", not_below(1))
