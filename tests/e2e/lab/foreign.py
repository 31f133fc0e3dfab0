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


def _start_buf(gateway: Gateway, method: str, request: dict, *options: str) -> subprocess.Popen:
    command = [
        str(_BUF), "curl", "--protocol", "grpc", "--http2-prior-knowledge", "--data",
        json.dumps(request), *options, f"http://{API}/{method}",
    ]
    return gateway.namespace.start(
        command,
        env={**os.environ, "HOME": "/run"},  # It keeps a cache there.
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def buf(gateway: Gateway, method: str, request: dict, *options: str) -> dict:
    """The answer to a call over TCP; with the options --unix-socket PATH over that."""
    with _start_buf(gateway, method, request, *options) as process:
        output, errors = process.communicate(timeout=120)
    if process.returncode != 0:
        raise AssertionError(f"{method}: {errors}")
    return json.loads(output)


def buf_stream(gateway: Gateway, method: str, request: dict, count: int) -> list[dict]:
    """The first messages of a stream, which is then cancelled."""
    messages, text = [], ""
    with _start_buf(gateway, method, request) as process:
        for line in process.stdout:
            text += line
            if line == "}\n":  # Inner braces are indented.
                messages.append(json.loads(text))
                text = ""
            if len(messages) == count:
                break
        process.terminate()
    return messages


@dataclasses.dataclass
class Status:
    """How a call ended."""

    code: str  # "invalid_argument", as buf says it.
    message: str


def buf_error(gateway: Gateway, method: str, request: dict) -> Status:
    """The status of a call that must fail."""
    with _start_buf(gateway, method, request) as process:
        output, errors = process.communicate(timeout=120)
    if process.returncode == 0:
        raise AssertionError(f"{method} was answered: {output}")
    error = json.loads(errors)
    return Status(error["code"], error["message"])


def length_delimited(field: int, content: bytes) -> bytes:
    """A protobuf field with a string or a message."""
    encoded = bytearray([field << 3 | 2])
    length = len(content)
    while length > 127:
        encoded.append(length & 127 | 128)
        length >>= 7
    return bytes([*encoded, length]) + content


@dataclasses.dataclass
class RawAnswer:
    """What came back for encoded bytes."""

    status: int  # As in google/rpc/code.proto.
    text: str
    message: bytes  # Encoded.


def raw_call(gateway: Gateway, method: str, message: bytes) -> RawAnswer:
    """Calls with an encoded message, whatever it is."""
    with tempfile.TemporaryDirectory(dir="/run") as folder:
        request, headers, response = (pathlib.Path(folder, name) for name in "abc")
        # gRPC over HTTP/2: not compressed, the length, the message.
        request.write_bytes(b"\0" + len(message).to_bytes(4, "big") + message)
        gateway.namespace.run(
            "curl --silent --show-error --http2-prior-knowledge --max-time 120"
            f" --data-binary @{request} --dump-header {headers} --output {response}"
            f" -H te:trailers -H content-type:application/grpc http://{API}/{method}"
        )
        lines = headers.read_text(encoding="latin-1").splitlines()
        found = dict(line.split(": ", 1) for line in lines if ": " in line)
        content = response.read_bytes() if response.exists() else b""
    return RawAnswer(int(found["grpc-status"]), found.get("grpc-message", ""), content[5:])
