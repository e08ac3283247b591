# SPDX-License-Identifier: Apache-2.0
"""Adapters around engines, each imported when one of its engine is wrapped."""
