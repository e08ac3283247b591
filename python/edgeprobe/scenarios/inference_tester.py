# SPDX-License-Identifier: Apache-2.0
"""See the package."""
from .run import main

if __name__ == "__main__":
    main("inference_tester")
