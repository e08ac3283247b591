# SPDX-License-Identifier: Apache-2.0
"""HTML that a notebook shows of results, traces and frames."""
