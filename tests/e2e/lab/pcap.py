"""Files of recorded packets (https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcap/)."""

import pathlib
import struct

_FILE_HEADER = struct.Struct("=IHHiIII")
_PACKET_HEADER = struct.Struct("=IIII")
_MAGIC_MICROSECONDS = 0xA1B2C3D4
_ETHERNET = 1


def write(path: pathlib.Path, frames: list[bytes]) -> None:
    header = _FILE_HEADER.pack(_MAGIC_MICROSECONDS, 2, 4, 0, 0, 1 << 18, _ETHERNET)
    packets = [_PACKET_HEADER.pack(0, 0, len(frame), len(frame)) + frame for frame in frames]
    path.write_bytes(header + b"".join(packets))


def read(path: pathlib.Path) -> list[bytes]:
    """The whole packets of a file of this machine's byte order."""
    content, frames, at = path.read_bytes(), [], _FILE_HEADER.size
    while at < len(content):
        *_, captured, _ = _PACKET_HEADER.unpack_from(content, at)
        at += _PACKET_HEADER.size
        frames.append(content[at:at + captured])
        at += captured
    return frames
