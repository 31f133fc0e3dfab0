"""gRPC clients that are not ours: buf, which learns the API by reflection, and curl, which sends
any bytes."""

import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile

from lab.gateway import API, Gateway

# `tools/dev setup` installs it in the checkout, which the runfiles link to.
_BUF = pathlib.Path(__file__).resolve().parents[3] / "tools/npm/node_modules/.bin/buf"


def _buf_command(method: str, request: dict, options: list[str]) -> list[str]:
    return [
        str(_BUF), "curl", "--protocol", "grpc", "--http2-prior-knowledge", "--data",
        json.dumps(request), *options, f"http://{API}/{method}",
    ]  # fmt: skip


def buf(gateway: Gateway, method: str, request: dict, *options: str) -> subprocess.CompletedProcess:
    """`buf curl` over TCP; with the options --unix-socket PATH over that."""
    # It keeps a cache in the home folder.
    environment = {**os.environ, "HOME": "/run"}
    with gateway.namespace.start(
        _buf_command(method, request, list(options)), env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        output, errors = process.communicate(timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


@dataclasses.dataclass
class Status:
    """How a call ended."""

    code: str  # "invalid_argument", as buf says it.
    message: str


def buf_error(gateway: Gateway, method: str, request: dict) -> Status:
    """The status of a call that must fail."""
    answer = buf(gateway, method, request)
    if answer.returncode == 0:
        raise AssertionError(f"{method} was answered: {answer.stdout}")
    error = json.loads(answer.stderr)
    return Status(error["code"], error["message"])


def length_delimited(field: int, content: bytes) -> bytes:
    """A protobuf field with a string or a message."""
    encoded = bytearray([field << 3 | 2])
    length = len(content)
    while length > 127:
        encoded.append(length & 127 | 128)
        length >>= 7
    return bytes([*encoded, length]) + content


def raw_call(gateway: Gateway, method: str, message: bytes) -> tuple[int, str]:
    """Calls with an encoded message; gives grpc-status and grpc-message."""
    with tempfile.NamedTemporaryFile(dir="/run") as body, tempfile.NamedTemporaryFile(
        dir="/run", mode="r", encoding="latin-1"
    ) as headers:
        body.write(b"\0" + len(message).to_bytes(4, "big") + message)
        body.flush()
        gateway.namespace.run(
            "curl --silent --show-error --http2-prior-knowledge --max-time 60 --output /dev/null"
            f" --dump-header {headers.name} --data-binary @{body.name} -H te:trailers"
            f" -H content-type:application/grpc http://{API}/{method}"
        )
        found = dict(line.strip().split(": ", 1) for line in headers if ": " in line)
    return int(found["grpc-status"]), found.get("grpc-message", "")
