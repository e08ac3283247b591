# SPDX-License-Identifier: Apache-2.0
"""Describes one plug-in with its options as JSON: ``python describe.py WHAT``. Started by ``edgeprobe help``."""
import inspect
import json
import os
import sys


def main(what: str) -> int:
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.dont_write_bytecode = True
    # Output of the user's code must not mix with the answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    from edgeprobe.plugins.found import find_any
    from edgeprobe.plugins.options import options_of
    from edgeprobe.plugins.process import Refused

    try:
        kind, found = find_any(what)
        options = [one.described() for one in options_of(found.plugin)]
    except (Refused, TypeError) as error:
        sys.exit(str(error))
    text = inspect.getdoc(found.plugin) if found.plugin.__doc__ and not found.plugin.__doc__.startswith(found.plugin.__name__ + "(") else ""
    json.dump({"kind": kind, "class": found.plugin.__name__, "file": found.file, "help": text or "", "formats": list(getattr(found.plugin, "formats", ())),
               "options": options, **({"result": getattr(found.plugin, "result", "")} if kind == "compiler" else {})}, answers)
    answers.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
