# SPDX-License-Identifier: Apache-2.0
"""The grid of conversions to ONNX: each framework exports its models, and each importer computes the files.

`grid` orders the cells, `cell` is the process of one, `watch` keeps it within its limits; `frameworks` export, `importers` compute,
`writers` show. Only the cells import other packages than Python's own."""
