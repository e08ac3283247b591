# SPDX-License-Identifier: Apache-2.0
"""HTML of results, traces and frames for a notebook."""
