# SPDX-License-Identifier: Apache-2.0
"""Recording inside an application: the probe, its frames, and adapters around engines."""
