# SPDX-License-Identifier: Apache-2.0
"""Lists the plug-ins of this Python as JSON, without importing one: ``python list.py``. Started by ``edgeprobe list``."""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> int:
    # Not by the package's name, whose import would take as long as all of this.
    sys.path[0] = os.path.dirname(os.path.dirname(HERE))
    from edgeprobe.plugins.installed import GROUPS, entry_points, packages
    from edgeprobe.plugins.own import OWN

    there = packages()
    rows = [{"kind": kind, "name": name, "formats": list(one.formats), "package": one.package, "version": there.get(one.package, ""), "own": True, "help": one.help}
            for kind, known in OWN.items() for name, one in known.items()]
    kinds = {group: kind for kind, group in GROUPS.items()}
    rows += [{"kind": kinds[e.group], "name": e.name, "formats": [], "package": e.package, "version": e.version, "own": False, "help": f"{e.module}:{e.attribute}"}
             for e in entry_points(*kinds)]
    json.dump({"python": sys.executable, "plugins": rows}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
