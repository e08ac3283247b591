# SPDX-License-Identifier: Apache-2.0
"""src/stats compared with NumPy's quantiles and a permutation test that tries every split; with SciPy, also with its tests."""
import itertools
import subprocess
import sys

import numpy as np

tool = sys.argv[1]
random = np.random.default_rng(5)


def figures(*samples):
    text = "\n".join(" ".join(repr(float(v)) for v in sample) for sample in samples) + "\n"
    out = subprocess.run([tool], input=text, capture_output=True, text=True, check=True).stdout
    return {key: float(value) for key, value in (line.split() for line in out.splitlines())}


def superior(first, second):
    """Fraction of pairs in which the second is larger; ties count half."""
    difference = np.subtract.outer(np.asarray(second), np.asarray(first))
    return (np.sum(difference > 0) + 0.5 * np.sum(difference == 0)) / difference.size


def permutation_p(first, second):
    """Two-sided: twice the frequency of the smaller tail, over all ways to split the values."""
    values = np.concatenate([first, second])
    seen = superior(first, second)
    below = above = count = 0
    for chosen in itertools.combinations(range(len(values)), len(first)):
        mask = np.zeros(len(values), bool)
        mask[list(chosen)] = True
        share = superior(values[mask], values[~mask])
        below += share <= seen + 1e-12
        above += share >= seen - 1e-12
        count += 1
    return min(1.0, 2 * min(below, above) / count)


compared = 0
for size in (1, 2, 3, 10, 101, 1000):
    sample = random.gamma(3, size=size)
    got = figures(sample)
    want = {"mean": np.mean(sample), "std": np.std(sample, ddof=1) if size > 1 else 0, "min": sample.min(), "max": sample.max()}
    want |= {f"p{q}": np.percentile(sample, q) for q in (50, 90, 99)}
    want |= {"median": np.median(sample), "upper": np.quantile(sample, 0.5, method="higher"),
             "lower": np.quantile(sample, 0.9, method="lower"), "rank": np.quantile(sample, 0.95, method="inverted_cdf")}
    for key, value in want.items():
        assert abs(got[key] - value) <= 1e-12 * max(1, abs(value)), (size, key, got[key], value)
        compared += 1

for n, m in ((3, 3), (5, 4), (6, 7), (2, 9)):
    for shift in (0, 0.5, 2):
        first, second = random.normal(size=n), random.normal(size=m) + shift
        got = figures(first, second)
        assert abs(got["p"] - permutation_p(first, second)) < 1e-12, (n, m, shift, got["p"], permutation_p(first, second))
        assert abs(got["superiority"] - superior(first, second)) < 1e-12
        compared += 2

# With ties and many values, the normal approximation must be near the result of random permutations.
first, second = random.integers(0, 12, 60).astype(float), random.integers(1, 13, 70).astype(float)
values, seen, hits, trials = np.concatenate([first, second]), superior(first, second), 0, 4000
for _ in range(trials):
    shuffled = random.permutation(values)
    hits += abs(superior(shuffled[:60], shuffled[60:]) - 0.5) >= abs(seen - 0.5) - 1e-12
got = figures(first, second)
assert abs(got["p"] - hits / trials) < 0.25 * hits / trials + 0.005, (got["p"], hits / trials)

ratio = figures(random.gamma(50, 0.02, 400), random.gamma(50, 0.024, 400))
assert ratio["low"] < ratio["ratio"] < ratio["high"] and ratio["low"] < 1.2 < ratio["high"], ratio
try:
    from scipy import stats
except ImportError:
    print("SciPy is not installed: t tests and Mann-Whitney are held against closed forms and permutations alone")
else:
    for size in (2, 5, 40):
        sample = random.normal(0.3, size=size)
        want = stats.ttest_1samp(sample, 0)
        low, high = want.confidence_interval(0.95)
        ours = figures(sample)
        for key, value in {"t_p": want.pvalue, "t_low": low, "t_high": high}.items():
            assert abs(ours[key] - value) <= 1e-9 * max(1, abs(value)), (size, key, ours[key], value)
            compared += 1
    for first, second in ((random.normal(size=9), random.normal(0.8, size=11)), (random.normal(size=4), random.normal(size=6))):
        want = stats.mannwhitneyu(first, second, alternative="two-sided", method="exact")
        assert abs(figures(first, second)["p"] - want.pvalue) < 1e-12
        compared += 1
print(f"{compared} figures equal NumPy's and the full permutation test; p {got['p']:.4f} against {hits / trials:.4f} by permutations")
