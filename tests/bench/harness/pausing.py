"""Programs that take turns on one CPU."""

import contextlib
import os
import signal


class Pausable:
    """A program that polls, and can leave its CPU to others."""

    pid: int

    @contextlib.contextmanager
    def paused(self):
        """Within, it does."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)

    @contextlib.contextmanager
    def resumed(self):
        """Within paused(): it runs nevertheless."""
        os.kill(self.pid, signal.SIGCONT)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGSTOP)
