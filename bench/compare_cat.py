# SPDX-License-Identifier: Apache-2.0
"""The processor time of comparing two traces, against `cat` of the same files in the same run.

    python3 bench/compare_cat.py REFERENCE TARGET --command "build/edgeprobe compare" [--command "OLD/edgeprobe compare" ...] [--rounds 9]

The commands and cat take turns, so that all of them run under the same load, and each gets both files as its last arguments. Prints
medians of user and system time of each command with all of its children, and of its ratio to cat in the same round, each with its
range. One round before the first puts both files into the page cache.
"""
import argparse
import resource
import shlex
import statistics
import subprocess


def cost(command):
    """Milliseconds of user and system time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3, 4):  # agrees, differs, undecided
        raise SystemExit(f"{shlex.join(command)} ended with {done.returncode}")
    return 1e3 * (after.ru_utime - before.ru_utime), 1e3 * (after.ru_stime - before.ru_stime)


def spread(values, form="{:.2f}"):
    return f"{form} ({form} to {form})".format(statistics.median(values), min(values), max(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("reference")
    parser.add_argument("target")
    parser.add_argument("--command", action="append", required=True)
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    commands = {"cat": ["cat"], **{text: shlex.split(text) for text in args.command}}
    times = {name: [] for name in commands}
    for round_number in range(args.rounds + 1):
        for name, words in commands.items():
            taken = cost([*words, args.reference, args.target])
            if round_number > 0:
                times[name].append(taken)
    plain = [sum(pair) for pair in times["cat"]]
    for name, pairs in times.items():
        both = [sum(pair) for pair in pairs]
        print(f"{name}: {spread(both, '{:.0f}')} ms, of these system {statistics.median(p[1] for p in pairs):.0f} ms; "
              f"ratio to cat {spread([a / b for a, b in zip(both, plain)])}")


if __name__ == "__main__":
    main()
