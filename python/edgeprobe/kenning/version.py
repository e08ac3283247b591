# SPDX-License-Identifier: Apache-2.0
"""The release of Kenning that a class is of."""
from __future__ import annotations

import importlib.metadata


def version_of(base: type) -> str:
    """For example "kenning 0.8.2"."""
    package = base.__module__.partition(".")[0]
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:  # a folder on the path
        return package
