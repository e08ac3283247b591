# SPDX-License-Identifier: Apache-2.0
"""Converters: each runs in a separate Python environment, as a child process of `edgeprobe convert`.

The child gets one JSON object on standard input: `to`, `model`, `format` (the kind of the source), `out` (a file or, for OpenVINO, the .xml),
`inputs` and `outputs` ({"name", "dtype", "shape", ...} each), `options` (texts by name, all of them), `calibration` and `train` (null, or
{"file", "frames"}: the raw values of all inputs, frame after frame; converters get them as `frames` and `examples`), `labels` (the class of each
example), `packages` (folders of packages that this Python may lack) and `keep_float` (null, or a list: nodes that ONNX Runtime leaves in float32,
by their name or that of an output; a whole recipe of ai-edge-quantizer). It answers with one JSON object in the last line of standard output:
{"tool": "name version", "notes": [...]}, with `weights` (one object a changed weight) from those that change weights, or {"error": "one sentence"}.
"""
