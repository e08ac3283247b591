# SPDX-License-Identifier: Apache-2.0
"""Writing Parquet with PyArrow: a child process of `edgeprobe trace export --parquet`, in a Python that has it.

One socket, which is standard input and output, carries both directions; numbers are little-endian. Messages to the child begin with a kind (one byte)
and the size of the body (u64): `B` begins a table, a JSON list of {"name", "kind", "repeats"}; `R` is a group of rows: their number (u64), for each
column the number of its nulls and the sizes of its buffers (u64), then the buffers in Apache Arrow's layout, each padded to 8 bytes; `E` ends the
table. Messages from the child begin with a kind and a size (u32): `H`, PyArrow's version, or `N`, the reason why PyArrow is missing; `D`, the next
bytes of the file; `E`, the table is complete; `X`, the reason for a failure.
"""
