# SPDX-License-Identifier: Apache-2.0
"""Writing Parquet with PyArrow: a child process of `edgeprobe trace export --parquet`, in a Python that has it.

Both directions are one socket, as standard input and output; numbers are little-endian. To the child, with a head of a kind
(one byte) and the size of the body (u64): `B` begins a table, a JSON list of {"name", "kind", "repeats"}; `R` is a group of
rows: their number (u64), for each column the number of its nulls and the sizes of its buffers (u64), then the buffers in
Apache Arrow's layout, each padded to 8 bytes; `E` ends the table. From the child, with a head of a kind and a size (u32):
`H`, PyArrow's version, or `N`, why there is none; `D`, the next bytes of the file; `E`, the table is whole; `X`, why it is not.
"""
