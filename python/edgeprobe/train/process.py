# SPDX-License-Identifier: Apache-2.0
"""A process that trains: answers three requests, one JSON value a line (src/cli/train/trainer.h)."""
from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from ..plugins.process import Refused, one_line
from .talk import Stopped, Talk, Trouble


def serve(make: "Callable[[dict[str, Any], Talk], Any]") -> "NoReturn":
    """``make`` makes the run of the first request; it imports what the user's Python may lack."""
    talk = Talk()
    code = _answer(make, talk)
    sys.stderr.flush()
    os._exit(code)  # threads of a framework may hang


def _answer(make: "Callable[[dict[str, Any], Talk], Any]", talk: Talk) -> int:
    try:
        run = make(talk.request(), talk)
        talk.answer(run.about())
        talk.answer(run.build(talk.request()))
        talk.request()
        talk.answer(run.train())
        return 0
    except Stopped as stop:
        talk.failed("interrupted", str(stop))
    except Trouble as trouble:
        talk.failed(trouble.kind, str(trouble))
    except Refused as refused:
        talk.failed(("usage", "usage", "corrupt", "unsupported", "limit", "target")[refused.kind], str(refused))
    except ImportError as error:
        talk.failed("usage", f"{sys.executable} lacks a package: {one_line(error)}; name another Python with --python")
    except MemoryError:
        talk.failed("limit", "the memory is used up: try a smaller --batch-size")
    except Exception as error:  # of a framework: its traceback does not help the user
        talk.failed("target", one_line(error))
    return 1
