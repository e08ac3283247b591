# SPDX-License-Identifier: Apache-2.0
"""Converters: each runs in an environment of its own, as a child process of `edgeprobe convert`.

The child gets one JSON object on standard input: `to`, `model`, `format`, `out` (a file or, for OpenVINO, the .xml) and
`calibration` (null, or {"file", "frames", "dtype", "shape", "name"}: raw values, frame after frame). It answers with one
JSON object in the last line of standard output: {"tool": "name version", "notes": [...]} or {"error": "one sentence"}.
"""
