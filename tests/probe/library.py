# SPDX-License-Identifier: Apache-2.0
"""libedgeprobe.so through ctypes: the view of a program that knows only edgeprobe.h."""
import ctypes as c

import numpy as np

LEVELS = {"none": 0, "io": 1, "embedding": 2, "layers": 3}
DTYPES = ["float32", "float16", "bfloat16", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool"]
INTERMEDIATE, MODEL_INPUT, LAYER, MODEL_OUTPUT, EMBEDDING, VARIABLE = range(1, 7)


class Options(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("level", c.c_int), ("include", c.c_char_p), ("exclude", c.c_char_p),
                ("sampling", c.c_int), ("every", c.c_uint32), ("seed", c.c_uint64), ("before", c.c_uint32), ("below_confidence", c.c_double),
                ("raw", c.c_int), ("raw_frames", c.c_uint32), ("raw_bytes", c.c_uint64), ("sketch", c.c_int), ("time_share", c.c_double),
                ("bytes_per_second", c.c_uint64), ("total_bytes", c.c_uint64), ("part_bytes", c.c_uint64), ("newest_parts", c.c_uint32),
                ("own_outputs", c.c_uint32), ("flush_ms", c.c_uint32), ("wait_when_full", c.c_int), ("redact", c.c_void_p), ("redact_context", c.c_void_p)]


class Tensor(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("stage", c.c_int), ("name", c.c_char_p), ("dtype", c.c_int), ("rank", c.c_uint32),
                ("shape", c.POINTER(c.c_int64)), ("data", c.c_void_p), ("size", c.c_size_t), ("scale_count", c.c_uint32),
                ("scale", c.POINTER(c.c_float)), ("zero_point", c.POINTER(c.c_int64)), ("axis", c.c_int32), ("position", c.c_int32),
                ("layer_type", c.c_char_p)]


class Probe:
    def __init__(self, library, path, **options):
        self.lib = c.CDLL(library)
        self.lib.edgeprobe_last_error.restype = c.c_char_p
        values = Options()
        self.lib.edgeprobe_options_init_sized(c.byref(values), c.c_size_t(c.sizeof(Options)))
        assert values.struct_size == c.sizeof(Options), "edgeprobe_options has changed"
        for key, value in options.items():
            setattr(values, key, value)
        self.probe = c.c_void_p()
        status = self.lib.edgeprobe_open(str(path).encode(), c.byref(values), c.byref(self.probe))
        assert status == 0, self.error()

    def error(self):
        return self.lib.edgeprobe_last_error().decode()

    def frame(self):
        frame = c.c_void_p()
        self.lib.edgeprobe_frame_begin(self.probe, c.byref(frame))
        return frame

    def tensor(self, frame, stage, name, array, scale=(), zero_point=(), axis=0):
        """The status of the call."""
        array = np.asarray(array, order="C")
        t = Tensor(struct_size=c.sizeof(Tensor), stage=stage, name=name.encode(), dtype=DTYPES.index(array.dtype.name), rank=array.ndim,
                   shape=(c.c_int64 * max(1, array.ndim))(*array.shape), data=array.ctypes.data, size=array.nbytes,
                   scale_count=len(scale), axis=axis, position=-1)
        if len(scale):
            t.scale = (c.c_float * len(scale))(*scale)
            t.zero_point = (c.c_int64 * len(scale))(*zero_point)
        return self.lib.edgeprobe_log_tensor(frame, c.byref(t))

    def end(self, frame):
        return self.lib.edgeprobe_frame_end(frame)

    def flush(self):
        return self.lib.edgeprobe_flush(self.probe)

    def close(self):
        return self.lib.edgeprobe_close(self.probe, None)
