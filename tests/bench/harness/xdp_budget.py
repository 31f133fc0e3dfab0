"""How many packets the kernel sends with one call on an AF_XDP socket."""

import ctypes
import errno
import os
import pathlib
import socket

_AF_XDP = 44
_SOL_XDP = 283
_XDP_MAX_TX_SKB_BUDGET = 9
_PIDFD_GETFD = 438  # No function of Python 3.11's.


def _file_of(pid: int, number: int) -> int:
    """A descriptor of ours for a file that another process has open."""
    process = os.pidfd_open(pid)
    try:
        file = ctypes.CDLL(None, use_errno=True).syscall(_PIDFD_GETFD, process, number, 0)
    finally:
        os.close(process)
    if file < 0:
        raise OSError(ctypes.get_errno(), f"pidfd_getfd of file {number} of process {pid}")
    return file


def _sockets_of(pid: int) -> list[socket.socket]:
    files = pathlib.Path(f"/proc/{pid}/fd").iterdir()
    numbers = [int(file.name) for file in files if str(file.readlink()).startswith("socket:")]
    # Python would ask for the address to know the family, which AF_XDP has none of.
    return [socket.socket(_AF_XDP, socket.SOCK_RAW, 0, _file_of(pid, each)) for each in numbers]


def set_send_budget(pid: int, packets: int) -> None:
    """Of all AF_XDP sockets that the process has now: 32 to the size of the transmit ring. A kernel
    before 6.17 sends 32 whatever it is told."""
    for each in _sockets_of(pid):
        with each:
            if each.getsockopt(socket.SOL_SOCKET, socket.SO_DOMAIN) != _AF_XDP:
                continue
            try:
                each.setsockopt(_SOL_XDP, _XDP_MAX_TX_SKB_BUDGET, packets)
            except OSError as error:
                if error.errno != errno.ENOPROTOOPT:
                    raise
