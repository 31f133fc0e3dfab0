"""What /proc says about a process and its tasks."""

import dataclasses
import os
import pathlib


def is_alive(pid: int) -> bool:
    """Whether a thread of it runs. One that nobody has waited for is there without living."""
    for tid in _tids(pid):
        try:
            if _stat(pid, tid)[0] not in "ZX":
                return True
        except (FileNotFoundError, ProcessLookupError):
            pass  # It has ended since.
    return False


def _tids(pid: int) -> list[int]:
    try:
        return [int(tid) for tid in os.listdir(f"/proc/{pid}/task")]
    except FileNotFoundError:
        return []


def _stat(pid: int, tid: int) -> list[str]:
    """The fields of proc(5) from the third on, the state."""
    text = pathlib.Path(f"/proc/{pid}/task/{tid}/stat").read_text(encoding="utf-8")
    return text.rsplit(")", 1)[1].split()


@dataclasses.dataclass(frozen=True)
class Task:
    """One thread."""

    tid: int
    name: str
    is_main: bool
    blocked_signals: frozenset[int]
    cpus: frozenset[int]

    @property
    def is_worker(self) -> bool:
        return self.name.startswith("worker-")


def _status(pid: int, tid: int) -> dict[str, str]:
    text = pathlib.Path(f"/proc/{pid}/task/{tid}/status").read_text(encoding="utf-8")
    return dict(line.split(":\t", 1) for line in text.splitlines())


def _signals(mask: str) -> frozenset[int]:
    """Of a mask as proc(5) writes it."""
    bits = int(mask, 16)
    return frozenset(number for number in range(1, 65) if bits >> (number - 1) & 1)


def pending_signals(pid: int, tid: int) -> frozenset[int]:
    """Those that wait for this thread only."""
    return _signals(_status(pid, tid)["SigPnd"])


def _read_task(pid: int, tid: int) -> Task:
    field = _status(pid, tid)
    cpus = set()
    for part in field["Cpus_allowed_list"].split(","):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return Task(tid, field["Name"], tid == pid, _signals(field["SigBlk"]), frozenset(cpus))


def tasks_of(pid: int) -> list[Task]:
    found = []
    for tid in _tids(pid):
        try:
            found.append(_read_task(pid, tid))
        except (FileNotFoundError, ProcessLookupError):
            pass  # It has ended since.
    return found


def _cpu_seconds(pid: int, tid: int) -> float:
    fields = _stat(pid, tid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_seconds_of_workers(pid: int) -> float:
    return sum(_cpu_seconds(pid, task.tid) for task in tasks_of(pid) if task.is_worker)


def cpu_seconds_beside_workers(pid: int) -> float:
    """A polling worker takes a whole core; this is all the rest of the process."""
    return sum(_cpu_seconds(pid, task.tid) for task in tasks_of(pid) if not task.is_worker)


def peak_memory(pid: int) -> int:
    """The most bytes that have been resident."""
    return 1024 * int(_status(pid, pid)["VmHWM"].split()[0])
