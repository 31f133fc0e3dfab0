"""Waiting for what is bound to happen. The bounds are generous: machines that test are busy."""

import time
from collections.abc import Callable


def until(condition: Callable[[], object], what: str, seconds: float = 120) -> object:
    """The first true value of `condition`; AssertionError if there is none in time."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}; at last: {value!r}")
        time.sleep(0.02)
