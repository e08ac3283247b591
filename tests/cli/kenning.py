# SPDX-License-Identifier: Apache-2.0
"""Kenning's protocol, written a second time for the tests: frames in, frames out. Shares no code with src/protocol."""
import struct



def split(stream, generation):
    """(number, flow, flags, payload) of each whole message, with its parts joined; and the bytes after the last one."""
    messages, parts = [], {}
    while True:
        if generation in ("g1", "g2"):
            if len(stream) < 6:
                break
            size, number = struct.unpack("<IH", stream[:6])
            head, size, flow, flags = 6, size - 2, 0, 0x30
        elif generation in ("g3", "g3-late"):
            if len(stream) < 8:
                break
            bits, _, flags, size = struct.unpack("<BBHI", stream[:8])
            head, number, flow = 8, bits & 63, bits >> 6
        else:
            if len(stream) < 12:
                break
            low, high, _, flags, size = struct.unpack("<IBBHI", stream[:12])
            head, number, flow = 12, low | (high & 63) << 32, high >> 6
        if len(stream) < head + size:
            break
        payload, stream = stream[head : head + size], stream[head + size :]
        key = (number, flow)
        if not flags & 0x10:
            payload = parts.pop(key, b"") + payload
        if flags & 0x20:
            messages.append((number, flow, flags, payload))
        else:
            parts[key] = payload
    return messages, stream


def frame(generation, number, payload=b""):
    if generation in ("g1", "g2"):
        return struct.pack("<IH", len(payload) + 2, number) + payload
    flags = 0x30 | (8 if payload else 0)
    if generation in ("g3", "g3-late"):
        return struct.pack("<BBHI", number, 0, flags, len(payload)) + payload
    return struct.pack("<IBBHI", number & 0xFFFFFFFF, number >> 32, 0, flags, len(payload)) + payload


def is_log(message, generation):
    return generation not in ("g1", "g2") and message[0] == (12 if generation == "g3" else 13)


def succeeded(message, generation):
    return message[0] == 0 if generation in ("g1", "g2") else bool(message[2] & 1) and not message[2] & 2


def logged(messages, generation):
    """The texts of LOGS messages."""
    texts = []
    for message in messages:
        rest = message[3] if is_log(message, generation) else b""
        while rest:
            texts.append(rest[1 : 1 + rest[0]].decode())
            rest = rest[1 + rest[0] :]
    return texts
