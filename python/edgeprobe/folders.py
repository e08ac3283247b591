# SPDX-License-Identifier: Apache-2.0
"""Folders that contain the parts of this package."""
from __future__ import annotations

import os

#: Search path of the package. Filled when the package is imported.
FOLDERS: list[str] = []

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def checkout() -> str:
    """The package's folder in a checkout; for an installed package, a different folder."""
    return os.path.dirname(os.path.dirname(os.path.realpath(_PACKAGE)))


def build_folder() -> str:
    """The build folder of the checkout: EDGEPROBE_BUILD, else build/."""
    return os.environ.get("EDGEPROBE_BUILD") or os.path.join(checkout(), "build")


def native_folders() -> list[str]:
    """The folder of the native module if it is not in the package: in a checkout, the build."""
    if any(name.startswith("_native.") and name.endswith(".so") for name in os.listdir(_PACKAGE)):
        return []
    built = os.path.join(build_folder(), "python", "edgeprobe")
    return [built] if os.path.isdir(built) else []
