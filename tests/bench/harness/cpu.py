"""Who runs where, and for how long."""

import os
import pathlib

# Everything but the polling thread, which has lab.gateway's WORKER_CPU, runs here.
OTHER_CPU = 0


def on_other_cpu(command: list[str]) -> list[str]:
    return ["taskset", "--cpu-list", str(OTHER_CPU), *command]


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
