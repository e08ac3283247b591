# SPDX-License-Identifier: Apache-2.0
"""Part of the fault matrix; each report is validated against docs/reference/report.schema.json: evaluated_test.py EDGEPROBE

Its faults are of kinds that the sample reports lack, in traces of another maker and of our own."""
import pathlib
import subprocess
import sys

MATRIX = pathlib.Path(__file__).resolve().parents[2] / "bench" / "fault_matrix" / "matrix.py"
FAULTS = "gamma22,tone_to_srgb,yuv709,kernel_cv_nearest,range_u255,layout_chw,turn_1,healthy"

sys.path.insert(0, str(MATRIX.parents[1]))
from report_schema import problems  # noqa: E402


def main():
    assert problems({}) and any("kind" in p for p in problems({"causes": [{"kind": "bad_luck"}]})), "the schema takes anything"
    done = subprocess.run([sys.executable, MATRIX, sys.argv[1], "--models", "signs", "--faults", FAULTS, "--frames", "2", "--quick"],
                          capture_output=True, text=True, timeout=600)
    print(done.stdout + done.stderr)
    assert "report.schema.json" not in done.stdout + done.stderr
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
