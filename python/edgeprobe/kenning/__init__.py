# SPDX-License-Identifier: Apache-2.0
"""Classes of Kenning, and of Edge AI tester before it, as plug-ins: docs/extending.md. Nothing here imports Kenning; the user's classes do."""
