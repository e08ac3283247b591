# SPDX-License-Identifier: Apache-2.0
"""Prints dtype, shape and sha256 of every member of an .npz archive."""
import hashlib
import sys
import zipfile

import numpy as np

assert zipfile.ZipFile(sys.argv[1]).testzip() is None
with np.load(sys.argv[1], allow_pickle=False) as archive:
    for name in archive.files:
        value = archive[name]
        if isinstance(value, bytes):
            print(name, "bytes", len(value), hashlib.sha256(value).hexdigest())
        else:
            shape = "x".join(map(str, value.shape))
            print(name, value.dtype.str, shape, hashlib.sha256(value.tobytes()).hexdigest())
