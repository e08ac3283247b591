# SPDX-License-Identifier: Apache-2.0
"""Serves a user's pipeline function, ``--pipeline FILE.py:FUNCTION``. src/pipeline/function/wire.h describes the bodies of its messages."""
from __future__ import annotations

import struct
import sys
from typing import Any

import numpy as np

from ..verbs.answers import BadAnswer, arrays_of, takes_bytes
from .found import load_function
from .messages import OPEN, SAMPLE, Channel, Reader, Writer
from .process import TARGET, Refused, one_line, show, where
from .server import Server

VERSION = 1
MOST_BYTES = 1 << 30
PIXELS, ENCODED = 0, 1


def text(value: str) -> bytes:
    data = value.encode("utf-8", "replace")
    return struct.pack("<I", len(data)) + data


class FunctionServer(Server):
    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self.steps = {OPEN: self.open, SAMPLE: self.sample}

    def open(self, given: Reader, _descriptor: int, out: Writer) -> None:
        self.function, self.folder = load_function(given.text(), given.text())
        wants = ENCODED if takes_bytes(self.function) else PIXELS
        out.parts += [struct.pack("<IB", VERSION, wants), text(f"Python {sys.version.split()[0]}, NumPy {np.__version__}")]

    def sample(self, given: Reader, _descriptor: int, out: Writer) -> None:
        body = bytearray(given.body)  # the function may write into its picture
        (length,) = struct.unpack_from("<I", body)
        (form,) = struct.unpack_from("<B", body, 4 + length)
        at = 5 + length
        if form == PIXELS:
            height, width, channels = struct.unpack_from("<III", body, at)
            argument: Any = np.frombuffer(body, np.uint8, offset=at + 12).reshape(height, width, channels)
        else:
            argument = bytes(memoryview(body)[at:])
        try:
            named = arrays_of(self.function(argument))
            size = sum(array.nbytes for _, array in named)
            if size > MOST_BYTES:  # before they are copied
                raise BadAnswer(f"the arrays of one frame take {size / 1e9:.3g} GB, the limit is {MOST_BYTES / 1e9:.3g} GB")
        except BadAnswer as error:
            raise Refused(TARGET, str(error)) from None
        except SystemExit as error:
            raise Refused(TARGET, f"it ended the program (exit code {error.code})") from None
        except Exception as error:
            show(error)
            raise Refused(TARGET, one_line(error) + where(error, self.folder)) from None
        out.parts.append(struct.pack("<I", len(named)))
        for stage, array in named:
            out.parts += [text(stage), text(array.dtype.name), struct.pack(f"<I{array.ndim}qQ", array.ndim, *array.shape, array.nbytes), array.tobytes()]
