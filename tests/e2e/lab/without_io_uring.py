"""Runs a command that may not have io_uring, as in most containers: a wrapper for Gateway.start.

    python3 without_io_uring.py EPERM|ENOSYS COMMAND...
"""

import ctypes
import errno
import os
import struct
import sys

# linux/prctl.h, linux/seccomp.h, linux/filter.h
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_PR_SET_NO_NEW_PRIVS = 38
_RET_ALLOW, _RET_ERRNO = 0x7FFF0000, 0x00050000
_LOAD_WORD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER_OFFSET = 0  # Of the system call's number in struct seccomp_data.
_IO_URING_SETUP = 425  # On all architectures.


class _Program(ctypes.Structure):
    """struct sock_fprog"""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def _instruction(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """struct sock_filter"""
    return struct.pack("=HBBI", code, if_true, if_false, operand)


def forbid_io_uring(error: int) -> None:
    """From now on io_uring_setup fails with `error` in this process and those that it starts."""
    instructions = b"".join((
        _instruction(_LOAD_WORD, _NUMBER_OFFSET),
        _instruction(_JUMP_IF_EQUAL, _IO_URING_SETUP, if_true=0, if_false=1),
        _instruction(_RETURN, _RET_ERRNO | error),
        _instruction(_RETURN, _RET_ALLOW),
    ))
    program = _Program(len(instructions) // 8, instructions)
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in (
        (_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0),
    ):
        if libc.prctl(*arguments) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    forbid_io_uring(getattr(errno, sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])
