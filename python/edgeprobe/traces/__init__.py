# SPDX-License-Identifier: Apache-2.0
"""Recorded traces as NumPy arrays: needs NumPy and mcap, neither the program nor the native module."""
