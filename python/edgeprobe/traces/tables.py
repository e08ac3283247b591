# SPDX-License-Identifier: Apache-2.0
"""Traces as pandas tables. pandas is imported on the first call."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

    from .frame import Frames


def frames_table(frames: Frames) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError:
        raise ImportError("tables need pandas: pip install pandas") from None
    rows = []
    for frame in frames:
        row: dict[str, Any] = {"sample": frame.sample, "label": frame.label, "latency_ns": frame.latency_ns}
        row.update((name, value) for name, value in frame.variables.items() if isinstance(value, (int, float, bool, str)))
        for span in frame.spans:
            row[f"span/{span.name}"] = span.duration_ns
        rows.append(row)
    index = pandas.Index([frame.number for frame in frames], name="frame")
    columns = list(dict.fromkeys(["sample", "label", "latency_ns", *(key for row in rows for key in row)]))
    table = pandas.DataFrame(rows, index=index, columns=columns)
    for column in table.columns:
        if column in ("label", "latency_ns") or column.startswith("span/"):
            table[column] = table[column].astype("Int64")
    return table
