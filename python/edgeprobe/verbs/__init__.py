# SPDX-License-Identifier: Apache-2.0
"""Verbs of the command line as functions, and the user's own pipeline functions."""
