# SPDX-License-Identifier: Apache-2.0
"""The process of ``edgeprobe train``."""
import os
import sys

if __name__ == "__main__":
    # This folder holds modules with common names; the user's code must not find them.
    sys.path[0:0] = [os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))]
    sys.dont_write_bytecode = True
    from edgeprobe.train.process import serve

    def make(request, talk):
        from edgeprobe.train.model_run import ModelRun

        return ModelRun(request["model"], talk)

    serve(make)
