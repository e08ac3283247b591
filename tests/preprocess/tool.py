# SPDX-License-Identifier: Apache-2.0
"""Drives recipe_tool: requests tensors, resampled floats and decoded pixels."""
import os
import subprocess
import tempfile

import numpy as np


class Refused(Exception):
    """The tool's answer to a request that failed: "usage …", "corrupt …"."""


class Tool:
    def __init__(self):
        self.process = subprocess.Popen([os.environ["RECIPE_TOOL"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.folder = tempfile.TemporaryDirectory()
        self.source = os.path.join(self.folder.name, "in.raw")
        self.target = os.path.join(self.folder.name, "out.raw")

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        word, _, rest = self.process.stdout.readline().strip().partition(" ")
        if word != "ok":
            raise Refused(rest)
        return rest

    def tensor(self, image, shape, dtype, recipe):
        """The model input that `recipe` makes of uint8 pixels [H, W, C]."""
        np.ascontiguousarray(image).tofile(self.source)
        height, width, channels = image.shape
        dimensions = ",".join(str(n) for n in shape)
        self.ask(f"raw {height} {width} {channels} {self.source} {dimensions} {dtype} {self.target} {recipe}")
        return np.fromfile(self.target, dtype).reshape(shape)

    def resampled(self, image, resize):
        """float32 [H, W, C] through the kernel of one resize() step; the caller gives the shape."""
        np.ascontiguousarray(image, np.float32).tofile(self.source)
        height, width, channels = image.shape
        self.ask(f"float {height} {width} {channels} {self.source} {self.target} {resize}")
        return np.fromfile(self.target, np.float32)

    def read(self, path, step):
        """(pixels [H, W, C], remaining orientation) of an image file, read as `step` describes."""
        answer = self.ask(f"read {path} {self.target} {step}").split()
        return np.fromfile(self.target, np.uint8).reshape([int(n) for n in answer[1:4]]), int(answer[4])

    def frame(self, data, layout, width, height, step="decode", stride=0, uv_stride=0, matrix="bt601", value_range="limited",
              rotation=0, mirrored=False):
        """Pixels [H, W, 3] of a camera frame, read as `step` describes."""
        np.asarray(data, np.uint8).tofile(self.source)
        answer = self.ask(f"frame {layout} {width} {height} {stride} {uv_stride} {matrix} {value_range} {rotation} "
                          f"{int(mirrored)} {self.source} {self.target} {step}").split()
        return np.fromfile(self.target, np.uint8).reshape([int(n) for n in answer[1:4]])

    def decoded(self, path):
        """(pixels [H, W, C], format, orientation) of an image file."""
        kind, height, width, channels, orientation = self.ask(f"decode {path} {self.target}").split()
        pixels = np.fromfile(self.target, np.uint8).reshape(int(height), int(width), int(channels))
        return pixels, kind, int(orientation)
