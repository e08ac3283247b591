# SPDX-License-Identifier: Apache-2.0
"""Adapters around engines; each is imported when its engine is wrapped."""
