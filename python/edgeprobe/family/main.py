# SPDX-License-Identifier: Apache-2.0
"""The process of ``edgeprobe stretch train``."""
import os
import sys

if __name__ == "__main__":
    sys.path[0:0] = [os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))]
    sys.dont_write_bytecode = True
    # cuBLAS sums in one order only with this; it is read when CUDA starts.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    from edgeprobe.train.process import serve

    def make(request, talk):
        if request.get("subnets"):
            from edgeprobe.family.supernet_run import SupernetRun

            return SupernetRun(request, talk)
        from edgeprobe.family.family_run import FamilyRun

        return FamilyRun(request, talk)

    serve(make)
