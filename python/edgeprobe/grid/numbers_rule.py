# SPDX-License-Identifier: Apache-2.0
"""When outputs differ: the numbers of the rule, and the rule as a sentence."""

#: Errors up to this count as rounding.
THRESHOLD = 1e-3
#: The inputs move by this fraction of themselves to see how far the framework's own outputs move.
NUDGE = 1e-6
#: Own outputs that move by more than this fraction of themselves by NUDGE prove nothing about an importer.
HOPELESS = 1e-2

RULE = (f"The error of an output is its largest |found - own| over its largest |own|; of integers, the fraction that are unequal. A cell has the largest "
        f"error of its outputs and samples. It differs above {THRESHOLD:g}, or above ten times the error that the framework itself makes when its inputs "
        f"move by {NUDGE:g} of themselves, if that is more. A model whose own outputs move by more than {HOPELESS:g} is not judged (unverified).")


def limit_of(sensitivity: float) -> float:
    """The largest error that counts as rounding for a model whose own outputs move by `sensitivity`."""
    return max(THRESHOLD, 10 * sensitivity)
