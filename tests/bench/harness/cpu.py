"""Who runs where, and for how long."""

import contextlib
import os
import pathlib

from lab.gateway import WORKER_CPU

# Everything but the polling thread, which has the other one, runs here.
OTHER_CPU = 0


@contextlib.contextmanager
def on_other_cpu():
    """Within, this process and what it starts."""
    allowed = os.sched_getaffinity(0)
    if {WORKER_CPU, OTHER_CPU} - allowed:
        raise SystemExit(f"bench: needs the CPUs {OTHER_CPU} and {WORKER_CPU}")
    os.sched_setaffinity(0, {OTHER_CPU})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def on_cpu(cpu: int) -> list[str]:
    """Before a command."""
    return ["taskset", "--cpu-list", str(cpu)]


def on_both_cpus() -> list[str]:
    """Before a command that places its threads itself."""
    return ["taskset", "--cpu-list", f"{OTHER_CPU},{WORKER_CPU}"]


def program(path: str) -> str:
    """One of ours, by its target's path below tests/."""
    return os.path.abspath(f"tests/{path}")


def _schedstat(pid: int, tid: int) -> list[int]:
    text = pathlib.Path(f"/proc/{pid}/task/{tid}/schedstat").read_text(encoding="ascii")
    return [int(field) for field in text.split()]


def ran_seconds(pid: int, tid: int) -> float:
    """On a CPU. Up to a timer tick old while the thread runs, exact while it sleeps."""
    return _schedstat(pid, tid)[0] / 1e9


def waited_seconds(pid: int, tid: int) -> float:
    """For a CPU while the thread could have run."""
    return _schedstat(pid, tid)[1] / 1e9
