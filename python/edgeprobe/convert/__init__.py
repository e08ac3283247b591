# SPDX-License-Identifier: Apache-2.0
"""Converters: each runs in a separate Python environment, as a child process of `edgeprobe convert`.

The child gets one JSON object on standard input: `to`, `model`, `format`, `out` (a file or, for OpenVINO, the .xml), `inputs` ({"name", "dtype",
"shape", ...} each), `calibration` (null, or {"file", "frames"}: the raw values of all inputs, frame after frame; converters get them as `frames`) and `keep_float` (null, or a
list: nodes that ONNX Runtime leaves in float32, by their name or that of an output; a whole recipe of ai-edge-quantizer). It answers with one
JSON object in the last line of standard output: {"tool": "name version", "notes": [...]} or {"error": "one sentence"}.
"""
