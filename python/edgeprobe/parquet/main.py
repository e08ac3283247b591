# SPDX-License-Identifier: Apache-2.0
"""Reads tables, writes Parquet."""
import json
import os
import struct
import sys

_LARGEST = 1 << 24  # most bytes of one message to the program


class Wire:
    """The socket to the program, and the file that PyArrow writes to."""

    closed = False

    def __init__(self, socket):
        self.socket = socket
        self.at = 0

    def read(self, size):
        data = bytearray(size)
        rest = memoryview(data)
        while rest:
            got = os.readv(self.socket, [rest])
            if got == 0:  # the program has ended or closed its end
                os._exit(0)
            rest = rest[got:]
        return data

    def send(self, kind, data=b""):
        for part in (kind + struct.pack("<I", len(data)), data):
            rest = memoryview(part).cast("B")
            while rest:
                rest = rest[os.write(self.socket, rest):]

    def write(self, data):
        rest = memoryview(data).cast("B")
        for start in range(0, len(rest), _LARGEST):
            self.send(b"D", rest[start:start + _LARGEST])
        self.at += len(rest)
        return len(rest)

    def tell(self):
        return self.at

    def flush(self):
        pass


def column_types(pa):
    """For each kind: the type, and the number of buffers after the validity bits."""
    return {"integer": (pa.int64(), 1), "unsigned": (pa.uint64(), 1), "real": (pa.float64(), 1), "time": (pa.timestamp("ns", tz="UTC"), 1),
            "text": (pa.dictionary(pa.int32(), pa.string()), 3), "reals": (pa.list_(pa.float64()), 2)}


def batch_of(pa, schema, kinds, body):
    """The rows of one message, without a copy."""
    types = column_types(pa)
    counts = [types[kind][1] + 1 for kind in kinds]
    numbers = struct.unpack_from(f"<{1 + len(kinds) + sum(counts)}Q", body)
    rows, numbers = numbers[0], iter(numbers[1:])
    whole = pa.py_buffer(body)
    at = 8 * (1 + len(kinds) + sum(counts))
    arrays = []
    for kind, count in zip(kinds, counts):
        nulls = next(numbers)
        buffers = []
        for _ in range(count):
            size = next(numbers)
            buffers.append(whole.slice(at, size))
            at += size + -size % 8
        validity = buffers[0] if nulls else None
        if kind == "text":
            texts = pa.StringArray.from_buffers(buffers[2].size // 4 - 1, buffers[2], buffers[3])
            places = pa.Array.from_buffers(pa.int32(), rows, [validity, buffers[1]], nulls)
            arrays.append(pa.DictionaryArray.from_arrays(places, texts, safe=False))
        elif kind == "reals":
            values = pa.Array.from_buffers(pa.float64(), buffers[2].size // 8, [None, buffers[2]])
            arrays.append(pa.Array.from_buffers(types[kind][0], rows, [validity, buffers[1]], nulls, children=[values]))
        else:
            arrays.append(pa.Array.from_buffers(types[kind][0], rows, [validity, buffers[1]], nulls))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def tables(wire, pa, pq):
    """Writes one table after the other."""
    writer = None
    schema = kinds = None
    while True:
        kind, size = struct.unpack("<cQ", wire.read(9))
        body = wire.read(size)
        if kind == b"B":
            columns = json.loads(bytes(body))
            kinds = [column["kind"] for column in columns]
            schema = pa.schema([(column["name"], column_types(pa)[column["kind"]][0]) for column in columns])
            wire.at = 0
            # Without Arrow's own schema in the file, readers see the file's types: texts instead of dictionaries.
            writer = pq.ParquetWriter(pa.PythonFile(wire, mode="w"), schema, version="2.6", compression="zstd", compression_level=1,
                                      use_dictionary=[column["name"] for column in columns if column["repeats"]],
                                      write_page_checksum=True, store_schema=False)
        elif kind == b"R":
            batch = batch_of(pa, schema, kinds, body)
            writer.write_batch(batch, row_group_size=batch.num_rows)
        else:
            writer.close()
            wire.send(b"E")


def main():
    # The output of packages must not mix with the messages.
    wire = Wire(os.dup(1))
    os.dup2(2, 1)
    try:
        import pyarrow
        import pyarrow.parquet
    except Exception as error:  # a broken package may raise any exception
        wire.send(b"N", f"{sys.executable} has none ({error})".encode("utf-8", "replace"))
        return
    wire.send(b"H", pyarrow.__version__.encode())
    try:
        tables(wire, pyarrow, pyarrow.parquet)
    except Exception as error:
        wire.send(b"X", f"{type(error).__name__}: {error}".encode("utf-8", "replace"))


try:
    main()
except (BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
    pass
# Wait here: the program ends this process when it has its files.
os._exit(0)
