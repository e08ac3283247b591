# SPDX-License-Identifier: Apache-2.0
"""Reads what torch.save() writes since PyTorch 1.6, without PyTorch: a ZIP archive of a pickle and the bytes of each storage. The pickle may name nothing but
tensors. torch.load(weights_only=True) is not used: it refuses floats in 1.13, and other versions let a crafted file run code."""
from __future__ import annotations

import collections
import io
import math
import pathlib
import pickle
import re
import zipfile
from typing import Any

import numpy as np

#: NumPy's types of torch.FloatStorage and others; bfloat16 has none and becomes float32.
STORAGES = {"Float": "<f4", "Double": "<f8", "Half": "<f2", "BFloat16": "bfloat16", "Long": "<i8", "Int": "<i4", "Short": "<i2", "Char": "|i1", "Byte": "|u1",
            "Bool": "|b1"}
MOST_PICKLE = 64 << 20


class Refused(Exception):
    """The file is damaged, no such archive, or would run code."""


def read(path: "str | pathlib.Path") -> Any:
    """What was saved, with arrays in the place of tensors. Refused, OSError."""
    try:
        with zipfile.ZipFile(path) as archive:
            if any(one.compress_type != zipfile.ZIP_STORED for one in archive.infolist()):
                raise Refused("is compressed, which torch.save() never does")
            pickles = [one for one in archive.namelist() if one.endswith(".pkl")]
            if len(pickles) != 1 or pickles[0].rpartition("/")[2] != "data.pkl":
                raise Refused("is no checkpoint of torch.save(); a program of TorchScript is not read")
            folder = pickles[0][:-len("data.pkl")]
            if archive.getinfo(pickles[0]).file_size > MOST_PICKLE:
                raise Refused(f"has a pickle of more than {MOST_PICKLE >> 20} MB")
            if folder + "byteorder" in archive.namelist() and archive.read(folder + "byteorder") != b"little":
                raise Refused("has values in another order of bytes")
            return _Reader(archive, folder, archive.read(pickles[0])).load()
    except (Refused, OSError):
        raise
    # All that a pickle of any bytes can raise.
    except Exception as error:
        raise Refused(f"is damaged: {type(error).__name__}: {' '.join(str(error).split())[:200]}") from None


class _Reader(pickle.Unpickler):
    """Calls nothing but NAMES."""

    def __init__(self, archive: zipfile.ZipFile, folder: str, told: bytes) -> None:
        super().__init__(io.BytesIO(told))
        self._archive, self._folder = archive, folder
        self._storages: "dict[str, np.ndarray]" = {}

    def find_class(self, module: str, name: str) -> Any:
        storage = re.fullmatch(r"(\w+)Storage", name)
        if module == "torch" and storage and storage[1] in STORAGES:
            return STORAGES[storage[1]]
        found = NAMES.get(f"{module}.{name}")
        if found is None:
            raise Refused(f"names '{module}.{name}', which would run when it is read; a checkpoint of weights holds only tensors")
        return found

    def persistent_load(self, told: Any) -> np.ndarray:
        kind, dtype, key, _, count = told
        if kind != "storage" or not isinstance(dtype, str) or not isinstance(key, str) or not isinstance(count, int):
            raise Refused("has a storage of an unknown kind")
        if key not in self._storages:
            values = np.frombuffer(self._archive.read(f"{self._folder}data/{key}"), "<u2" if dtype == "bfloat16" else dtype)
            if len(values) != count:
                raise Refused(f"has {len(values)} values in storage {key}, and its pickle says {count}")
            self._storages[key] = (values.astype("<u4") << 16).view("<f4") if dtype == "bfloat16" else values
        return self._storages[key]


def _tensor(storage: np.ndarray, offset: int, size: "tuple[int, ...]", stride: "tuple[int, ...]", *_: Any) -> np.ndarray:
    numbers = (offset, *size, *stride)
    if not isinstance(storage, np.ndarray) or len(size) != len(stride) or not all(isinstance(one, int) and one >= 0 for one in numbers):
        raise Refused("has a tensor without storage")
    last = offset + sum((count - 1) * step for count, step in zip(size, stride))
    if math.prod(size) > len(storage) or (math.prod(size) and last >= len(storage)):
        raise Refused("has a tensor outside its storage")
    if not math.prod(size):
        return np.zeros(size, storage.dtype)
    width = storage.itemsize
    return np.lib.stride_tricks.as_strided(storage[offset:], size, [step * width for step in stride], writeable=False)


def _parameter(values: Any, *_: Any) -> np.ndarray:
    if not isinstance(values, np.ndarray):
        raise Refused("has a parameter that is no tensor")
    return values


#: All that the pickle may name beside storages.
NAMES: "dict[str, Any]" = {"collections.OrderedDict": collections.OrderedDict, "torch._utils._rebuild_tensor_v2": _tensor,
                           "torch._utils._rebuild_parameter": _parameter}
