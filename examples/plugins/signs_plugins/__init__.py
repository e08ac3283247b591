# SPDX-License-Identifier: Apache-2.0
"""One edgeprobe plug-in of each kind (docs/extending.md)."""
