"""A single packet to a device."""

import socket
import time

from lab.namespace import Namespace

# To nobody's address, of the type for local experiments; see tests/traffic/packet_device.h.
_FRAME = bytes.fromhex("02000000ff01" "02000000ff02" "88b5") + bytes(46)


def touch(namespace: Namespace, interface: str) -> None:
    """Sends it, and leaves its receiver time to take it."""
    with namespace.entered():
        device = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    with device:
        device.bind((interface, 0))
        device.send(_FRAME)
    time.sleep(0.02)
