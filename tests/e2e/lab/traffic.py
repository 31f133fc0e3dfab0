"""Traffic between two hosts, each a namespace with one address, from sockets of this process."""

import dataclasses
import hashlib
import os
import socket
import struct
import threading
import time

from lab.namespace import Namespace
from lab.waiting import until

_SO_RCVBUFFORCE = 33  # asm-generic/socket.h
_NUMBER = struct.Struct("!I")


@dataclasses.dataclass
class Host:
    """Where an application runs."""

    namespace: Namespace
    address: str

    def receiver(self) -> socket.socket:
        """A socket for datagrams with room for all, so that none is lost where we are slow."""
        made = self.socket(socket.SOCK_DGRAM)
        made.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, 64 << 20)
        return made

    def socket(self, kind: socket.SocketKind) -> socket.socket:
        """A socket bound to the address and a free port."""
        with self.namespace.entered():
            made = socket.socket(socket.AF_INET, kind)
        made.bind((self.address, 0))
        return made

    def forget_neighbors(self) -> None:
        """A device that was made again has another MAC address; Linux would believe the old one
        for a while."""
        self.namespace.run("ip neighbor flush all")

    def ping(self, other: "Host", options: str = "-c 3 -i 0.1 -w 60") -> str:
        return self.namespace.run(f"ping {options} {other.address}")


class Stream:
    """Numbered datagrams from one host to another at an even pace. A context: it flows within."""

    def __init__(self, source: Host, target: Host, per_second: int = 250, size: int = 200):
        self._receiver = target.receiver()
        self._receiver.settimeout(0.1)
        self._sender = source.socket(socket.SOCK_DGRAM)
        self._sender.connect(self._receiver.getsockname())
        self._interval = 1 / per_second
        self._padding = bytes(size - _NUMBER.size)
        self._stop = threading.Event()
        self._finish = threading.Event()
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._send, self._receive)
        ]
        self.sent = 0
        self.unsendable = 0  # What the sending host itself refused.
        self.numbers: list[int] = []  # In the order of their arrival.
        self.arrivals: list[float] = []  # When, on time.monotonic().

    def _send(self) -> None:
        due = time.monotonic()
        while not self._stop.is_set():
            try:
                self._sender.send(_NUMBER.pack(self.sent) + self._padding)
            except OSError:  # The sending host has no route while its device is away.
                self.unsendable += 1
            self.sent += 1
            # A sender that was late does not catch up: bursts are another test's business.
            due = max(due + self._interval, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))

    def _receive(self) -> None:
        while not self._finish.is_set():
            try:
                datagram = self._receiver.recv(2048)
            except TimeoutError:
                continue
            self.arrivals.append(time.monotonic())
            self.numbers.append(_NUMBER.unpack_from(datagram)[0])

    def __enter__(self) -> "Stream":
        for thread in self._threads:
            thread.start()
        self.wait_for(20)
        return self

    def __exit__(self, *unused) -> None:
        self._stop.set()
        self._threads[0].join()
        # What is on its way arrives as long as more of it does.
        before = -1
        while before != len(self.numbers) < self.sent:
            before = len(self.numbers)
            time.sleep(0.5)
        self._finish.set()
        self._threads[1].join()
        self._sender.close()
        self._receiver.close()

    def wait_for(self, packets: int) -> None:
        """Waits until so many more have arrived."""
        goal = len(self.numbers) + packets
        until(lambda: len(self.numbers) >= goal, f"{packets} more datagrams")

    @property
    def lost(self) -> int:
        return self.sent - len(set(self.numbers))

    @property
    def in_order(self) -> bool:
        """Whether nothing was overtaken, and nothing came twice."""
        return all(a < b for a, b in zip(self.numbers, self.numbers[1:]))

    @property
    def longest_gap(self) -> float:
        """Seconds between the two arrivals that are the furthest apart."""
        return max(b - a for a, b in zip(self.arrivals, self.arrivals[1:]))


def receive_all(receiver: socket.socket, count: int) -> list[bytes]:
    """The next datagrams; AssertionError where so many do not come."""
    receiver.settimeout(60)
    found = []
    while len(found) < count:
        try:
            found.append(receiver.recv(2048))
        except TimeoutError:
            raise AssertionError(f"{len(found)} of {count} datagrams came") from None
    return found


def transfer(source: Host, target: Host, size: int) -> None:
    """Sends random bytes over TCP. AssertionError unless exactly these arrive."""
    content = os.urandom(size)
    received = hashlib.sha256()

    def receive(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            while part := connection.recv(1 << 16):
                received.update(part)

    with target.socket(socket.SOCK_STREAM) as listener, source.socket(socket.SOCK_STREAM) as sender:
        listener.listen()
        listener.settimeout(120)
        receiver = threading.Thread(target=receive, args=(listener,), daemon=True)
        receiver.start()
        sender.settimeout(120)
        sender.connect(listener.getsockname())
        sender.sendall(content)
        sender.shutdown(socket.SHUT_WR)
        receiver.join()
    if received.digest() != hashlib.sha256(content).digest():
        raise AssertionError(f"{size} bytes of TCP were not what was sent")
