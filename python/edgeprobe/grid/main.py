# SPDX-License-Identifier: Apache-2.0
"""Starts a part of the grid in any Python: 'grid' reads a request from standard input; 'cell REQUEST ANSWER' is one process of it."""
import importlib.util
import pathlib
import sys


def load_package():
    """Loads this folder under a name of its own, so that neither the parent package nor its folders are needed or found."""
    here = pathlib.Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location("edgeprobe_grid", here / "__init__.py", submodule_search_locations=[str(here)])
    module = importlib.util.module_from_spec(spec)
    sys.modules["edgeprobe_grid"] = module
    spec.loader.exec_module(module)


load_package()
if sys.argv[1:2] == ["cell"]:
    from edgeprobe_grid.cell import main
else:
    from edgeprobe_grid.grid import main
main(sys.argv[2:])
