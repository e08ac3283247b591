# SPDX-License-Identifier: Apache-2.0
"""Trains a model on the values that a recipe makes: ``edgeprobe train`` (src/cli/train) prepares them and starts main.py."""
