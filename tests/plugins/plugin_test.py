# SPDX-License-Identifier: Apache-2.0
"""Common to the tests of plug-ins: the program, and the Python that has the packages of the tests."""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
sys.path.insert(0, str(HERE.parent.parent / "python"))
os.environ["EDGEPROBE_PYTHON"] = sys.executable
