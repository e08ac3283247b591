# SPDX-License-Identifier: Apache-2.0
"""Plants faults in apps that cut windows from streams (planted.py) and counts what the search names. All streams are synthetic.

evaluate.py STREAM_SEARCH [--seeds N]
"""
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

import planted
from planted import STREAMS


class Search:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.folder = tempfile.TemporaryDirectory()

    def ask(self, name, wanted, fed):
        files = [Path(self.folder.name) / n for n in ("wanted.raw", "fed.raw")]
        for file, values in zip(files, (wanted, fed)):
            np.ascontiguousarray(values, np.float32).tofile(file)
        rows, _, columns, codes = STREAMS[name]
        same = 1.01 if codes and name != "sound" else 1e-6 if name == "sound" else 2e-5 * float(np.ptp(wanted))
        self.process.stdin.write(f"{files[0]} {files[1]} {len(wanted)} {rows} {columns} {same} 0\n")
        self.process.stdin.flush()
        parts = self.process.stdout.readline().rstrip("\n").split("\t")
        found = [(k, int(n), int(row), int(first), int(count)) for k, n, row, first, count in (f.split(":") for f in parts[0].split())]
        return found, parts[1].split(), int(parts[2]), float(parts[3])


def main():
    seeds = int(sys.argv[sys.argv.index("--seeds") + 1]) if "--seeds" in sys.argv else 2
    search, lines, seconds = Search(sys.argv[1]), [], []
    singles, foreign, healthy = Counter(), Counter(), Counter()
    for name in STREAMS:
        for seed in range(seeds):
            stream = planted.stream_of(name, seed)
            wanted = planted.right(stream, name)
            found, left, hop, cost = search.ask(name, wanted, wanted)
            healthy["silent" if not found and not left and hop == STREAMS[name][1] else "ALARM"] += 1
            for what, kind, rows, first, make in planted.faults(name):
                found, left, _, cost = search.ask(name, wanted, make(stream))
                seconds.append(cost)
                # If a window contains two blocks, a repeated block is in a single window, where it looks like the head of the next.
                two = STREAMS[name][0] == 2 * STREAMS[name][1] and what == "block pushed twice"
                right = [f for f in found if (f[0], f[1]) in ((kind, rows), ("half_written", -rows) if two else ())]
                only = len(found) == 1 and right and not left
                early = only and first is not None and found[0][3] != first
                result = "right" if only and not early else "wrong first frame" if early else "named beside others" if right else "other" if found else "unknown"
                singles[result] += 1
                if result != "right":
                    lines.append(f"  {name} {seed}: {what} ({kind} {rows}, first {first}): {result} {found} unexplained {len(left)}")
            for what, fed in planted.foreign(name, stream, seed=seed):
                found, left, _, cost = search.ask(name, wanted, fed)
                told = sum(f[4] for f in found)
                foreign["not told" if told < max(1, len(left)) else "TOLD"] += 1
                if told >= max(1, len(left)):
                    lines.append(f"  {name} {seed}: foreign {what}: {found} unexplained {len(left)}")
    print(f"healthy {dict(healthy)}\nsingles {dict(singles)}\nforeign {dict(foreign)}\nCPU s: median {np.median(seconds):.4f}, most {max(seconds):.4f}")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
