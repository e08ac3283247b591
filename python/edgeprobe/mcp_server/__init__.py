# SPDX-License-Identifier: Apache-2.0
"""``edgeprobe mcp``: verbs as tools of the Model Context Protocol, over standard input and output (docs/guides/mcp.md)."""
