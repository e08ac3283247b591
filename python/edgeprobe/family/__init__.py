# SPDX-License-Identifier: Apache-2.0
"""Networks of ``edgeprobe stretch generate`` in PyTorch: the list of layers as a module, its optimizer and schedule, its training."""
