# SPDX-License-Identifier: Apache-2.0
"""The Pythons with PyTorch on this machine: that of EDGEPROBE_TORCH_PYTHON, and the system's with Debian's python3-torch."""
import os
import subprocess

QUESTION = "import importlib.util as u, sys; sys.exit(sys.version_info < (3, 11) or u.find_spec('torch') is None)"


def found():
    asked = [os.environ.get("EDGEPROBE_TORCH_PYTHON", ""), "/usr/bin/python3"]
    return [one for one in dict.fromkeys(asked) if one and os.path.exists(one) and subprocess.run([one, "-c", QUESTION], stderr=subprocess.DEVNULL).returncode == 0]
