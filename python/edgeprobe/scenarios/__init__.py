# SPDX-License-Identifier: Apache-2.0
"""The scenarios of Edge AI tester (Kenning) under their own names: `python -m edgeprobe.scenarios.NAME` takes the arguments of
`python -m edge_ai_tester.scenarios.NAME`, and does their work by the program's verbs."""
