# SPDX-License-Identifier: Apache-2.0
"""The cases of refused_*.json: a JSON pointer, the value to put there, and the expected error."""
import copy


def changed(whole, case):
    """A copy with the case's value at its pointer, or without the value there."""
    whole = copy.deepcopy(whole)
    *way, last = case["at"].split("/")[1:]
    around = whole
    for key in way:
        around = around[int(key) if isinstance(around, list) else key]
    if isinstance(around, list):
        last = len(around) if last == "-" else int(last)
    if "value" not in case:
        del around[last]
    elif isinstance(around, list) and last == len(around):
        around.append(case["value"])
    else:
        around[last] = case["value"]
    return whole
