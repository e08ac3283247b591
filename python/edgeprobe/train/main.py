# SPDX-License-Identifier: Apache-2.0
"""The process of ``edgeprobe train``: answers its three requests, one JSON value a line (src/cli/train/trainer.h)."""
import os
import sys


def main() -> int:
    # This folder holds modules with common names; the user's code must not find them.
    sys.path[0:0] = [os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))]
    sys.dont_write_bytecode = True
    from edgeprobe.plugins.process import Refused, one_line
    from edgeprobe.train.talk import Stopped, Talk, Trouble

    talk = Talk()
    try:
        from edgeprobe.train.run import Run

        run = Run(talk.request()["model"], talk)
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


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # threads of a framework may hang
