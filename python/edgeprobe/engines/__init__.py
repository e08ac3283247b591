# SPDX-License-Identifier: Apache-2.0
"""Engine plug-ins of edgeprobe itself: runtimes that are Python packages. Each needs its package in the Python that --python names."""
