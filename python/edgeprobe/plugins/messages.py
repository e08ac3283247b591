# SPDX-License-Identifier: Apache-2.0
"""Messages between the program and the process of a plug-in, as src/engine/wire.h describes them. Numbers are little-endian."""
from __future__ import annotations

import array
import socket
import struct
from typing import Any

from .process import Refused
from .tensor import DTYPES, Tensor

MAGIC = b"EPW1"
HELLO, OPEN, LOAD, ARENA, INFER, CLOSE, REPLY, REPEAT, MEMORY, SAMPLES, SAMPLE, SAMPLE_AGAIN, DESCRIBE, FRAME, FIGURE = range(1, 16)


class Writer:
    def __init__(self) -> None:
        self.parts: list[bytes | memoryview] = []

    def pack(self, form: str, *values: Any) -> None:
        self.parts.append(struct.pack("<" + form, *values))

    def blob(self, data: "bytes | memoryview") -> None:
        self.pack("Q", len(data))
        self.parts.append(data)

    def text(self, value: str) -> None:
        self.blob(value.encode("utf-8", "replace"))

    def texts(self, values: "list[str]") -> None:
        self.pack("Q", len(values))
        for value in values:
            self.text(value)

    def tensor(self, one: Tensor, shape: "tuple[int, ...] | None" = None) -> None:
        shape = one.shape if shape is None else shape
        self.text(one.name)
        self.pack("B", DTYPES.index(one.dtype))
        self.pack(f"Q{len(shape)}q", len(shape), *shape)
        self.pack(f"Q{len(one.scale)}f", len(one.scale), *one.scale)
        self.pack(f"Q{len(one.zero_point)}q", len(one.zero_point), *one.zero_point)
        self.pack("i", one.axis)

    def optional(self, value: "int | None", form: str = "q") -> None:
        self.pack("B" + form, value is not None, value or 0)


class Reader:
    def __init__(self, body: bytes) -> None:
        self.body, self.at = body, 0

    def unpack(self, form: str) -> Any:
        (value,) = struct.unpack_from("<" + form, self.body, self.at)
        self.at += struct.calcsize("<" + form)
        return value

    def blob(self) -> bytes:
        size = self.unpack("Q")
        self.at += size
        return self.body[self.at - size:self.at]

    def text(self) -> str:
        return self.blob().decode("utf-8", "surrogateescape")


class Channel:
    """The connection to the program."""

    def __init__(self, link: socket.socket) -> None:
        self.link = link

    def receive(self) -> tuple[int, bytes, int]:
        """The step, the body and the descriptor (-1: none) of the next message. EOFError once the program is gone."""
        head, descriptors, _, _ = self._first()
        step, size = struct.unpack("<4xIQ", head)
        body = self._exactly(size)
        return step, body, descriptors[0] if descriptors else -1

    def _first(self) -> tuple[bytes, list[int], int, Any]:
        fds = array.array("i")
        data, ancillary, flags, address = self.link.recvmsg(16, socket.CMSG_SPACE(4))
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds.frombytes(payload[:len(payload) - len(payload) % fds.itemsize])
        if len(data) < 16:
            data += self._exactly(16 - len(data), begun=bool(data))
        if data[:4] != MAGIC:
            raise EOFError
        return data, list(fds), flags, address

    def _exactly(self, size: int, begun: bool = True) -> bytes:
        data = bytearray()
        while len(data) < size:
            got = self.link.recv(min(size - len(data), 1 << 20))
            if not got:
                raise EOFError
            data += got
        return bytes(data)

    def send(self, step: int, *parts: "bytes | memoryview") -> None:
        body = b"".join(parts)
        self.link.sendall(MAGIC + struct.pack("<IQ", step, len(body)) + body)

    def answer(self, out: Writer) -> None:
        self.send(REPLY, b"\1", *out.parts)

    def refuse(self, why: Refused) -> None:
        out = Writer()
        out.pack("BB", 0, why.kind)
        out.text(str(why))
        self.send(REPLY, *out.parts)
