# SPDX-License-Identifier: Apache-2.0
"""A real Cortex-M3 program under qemu-system-arm logs over its UART; the received values equal NumPy's."""
import pathlib
import random
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]
for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
    if not shutil.which(program):
        print(f"skipped: no {program}; script/setup --test installs it")
        sys.exit(77)
try:
    import numpy as np
    import mcap.reader  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}; script/setup --test installs it")
    sys.exit(77)
import tool
import wire
from processes import wait_for
from received import Trace
from tool import PATIENCE, ROOT, run

FRAMES, STUCK, SIDE, FILTERS, CLASSES = 70, 40, 12, 4, 10
STACK = 512  # docs/guides/microcontroller.md states less for the probe by itself; this figure includes the program's own functions


class Generator:
    def __init__(self, state):
        self.state = state

    def next(self):
        self.state = (self.state * 1664525 + 1013904223) % 2**32
        return self.state >> 8


def network():
    g = Generator(7)
    filters, bias = np.zeros((FILTERS, 9), np.int64), np.zeros(FILTERS, np.int64)
    for f in range(FILTERS):
        filters[f] = [g.next() % 255 - 127 for _ in range(9)]
        bias[f] = g.next() % 20001 - 10000
    dense, dense_bias = np.zeros((CLASSES, 100), np.int64), np.zeros(CLASSES, np.int64)
    for c in range(CLASSES):
        dense[c] = [g.next() % 255 - 127 for _ in range(100)]
        dense_bias[c] = g.next() % 40001 - 20000
    return filters.reshape(FILTERS, 3, 3), bias, dense, dense_bias


def requantize(sums, multiplier, zero_point):
    return np.clip(np.floor(sums * multiplier / 2**36 + 0.5) + zero_point, -128, 127).astype(np.int8)


def infer(image, filters, bias, dense, dense_bias):
    """Computes with windows and matrix products: another order of the sums than in the C program's loops."""
    windows = np.lib.stride_tricks.sliding_window_view(image.astype(np.int64) + 1, (3, 3))
    sums = np.einsum("yxij,fij->yxf", windows, filters) + bias
    conv = requantize(sums, 400000000 + np.arange(FILTERS) * 70000000, -128)
    pool = conv.reshape(5, 2, 5, 2, FILTERS).max(axis=(1, 3))
    scores = requantize(dense @ (pool.reshape(-1).astype(np.int64) + 128) + dense_bias, 20000000, 3)
    return conv, pool, scores


def expected():
    g, net = Generator(1), network()
    for _ in range(FRAMES):
        picture = np.array([g.next() % 256 for _ in range(SIDE * SIDE)], np.uint8).reshape(SIDE, SIDE)
        image = (picture.astype(np.int16) - 128).astype(np.int8)
        conv, pool, scores = infer(image, *net)
        yield {"/raw_input/camera": picture[..., None], "/model_input/image": image[None, ..., None], "/layer/conv/relu": conv[None],
               "/layer/pool": pool[None], "/model_output/scores": scores[None]}


EXPECTED = list(expected())


class Firmware(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.out, self.elf = self.folder / "out.mcap", self.folder / "firmware.elf"
        sources = [HERE / "firmware" / name for name in ("startup.c", "network.c", "main.c")] + [ROOT / "bindings/mcu/edgeprobe_mcu.c"]
        subprocess.run(["arm-none-eabi-gcc", "-std=c11", "-mcpu=cortex-m3", "-mthumb", "-Os", "-ffreestanding", "-nostdlib",
                        "-fno-tree-loop-distribute-patterns", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "bindings/mcu",
                        "-T", HERE / "firmware" / "mps2_an385.ld", *sources, "-lgcc", "-o", self.elf], check=True)

    def qemu(self, serial, **more):
        return subprocess.Popen(["qemu-system-arm", "-M", "mps2-an385", "-kernel", self.elf, "-display", "none", "-monitor", "none",
                                 "-semihosting-config", "enable=on,target=native", "-serial", serial], stdin=subprocess.DEVNULL, **more)

    def check_values(self, trace):
        """Returns the number of tensors; each must equal NumPy's."""
        seen = 0
        for (frame, topic), values in trace.tensors.items():
            if topic.startswith("/variable/"):
                if topic == "/variable/lux":
                    self.assertEqual(values, frame * 0.25)
                continue
            np.testing.assert_array_equal(values, EXPECTED[frame][topic], err_msg=f"frame {frame} {topic}")
            seen += 1
        return seen

    def test_the_uart_of_a_running_program(self):
        self.assertGreater(len({int(e["/model_output/scores"].argmax()) for e in EXPECTED}), 2, "the network must not be constant")
        line = self.folder / "line"
        program = self.qemu(f"unix:{line},server=on,wait=on")
        try:
            wait_for(line.exists)
            done = run("trace", "receive", f"unix:{line}", "-o", self.out, "--timeout", PATIENCE // 2, expect=0)
            self.assertEqual(program.wait(PATIENCE), 0)
        finally:
            if program.poll() is None:
                program.kill()
        self.assertIn("1 frame is missing; the device dropped 1", done.err)
        self.assertNotIn("is not a packet", done.err.replace("1 piece of what came is not a packet", ""))  # the truncated packet
        trace = Trace(self.out)
        frames = [n for n in range(FRAMES) if n != STUCK]
        self.assertEqual(sorted(trace.records), frames)
        self.assertEqual(self.check_values(trace), 5 * len(frames))
        for n in frames:
            self.assertEqual(trace.records[n]["label"], n % CLASSES)
            self.assertGreater(trace.records[n]["latency_ns"], 0)
            self.assertNotIn("dropped", trace.records[n])
        meta = trace.channels["/layer/conv/relu"]
        self.assertEqual((meta["dtype"], meta["shape"], meta["scale"], meta["zero_point"], meta["layer_type"]),
                         ("int8", "1,10,10,4", "0.02", "-128", "CONV_2D"))
        self.assertEqual(trace.metadata["edgeprobe.run"]["model"], "twelve.c")
        self.assertEqual(trace.metadata["edgeprobe.dropped"]["frames"], "1")
        self.assertEqual([v["text"] for _, v in trace.series["/mark/boot"]], ["MPS2"])
        self.assertEqual([v["values"] for _, v in trace.series["/sensor/temperature"]], [[21.5]] * FRAMES)
        times = [trace.times[n] for n in frames]
        self.assertEqual(times, sorted(times))
        stack = max(int(trace.tensors[n, "/variable/stack"]) for n in frames)
        print(f"stack of a frame, the program's own functions included: {stack} bytes")
        self.assertTrue(0 < stack <= STACK, stack)

    def test_its_recorded_line_with_noise(self):
        recording = self.folder / "uart.bin"
        self.assertEqual(self.qemu(f"file:{recording}").wait(PATIENCE), 0)
        line = bytearray(recording.read_bytes())
        noise = random.Random(3)
        for at in noise.sample(range(len(line)), 60):
            line[at] ^= 1 << noise.randrange(8)
        recording.write_bytes(line)
        done = run("trace", "receive", recording, "-o", self.out, expect=0)
        self.assertIn("lost on the line", done.err)
        trace = Trace(self.out)
        seen = self.check_values(trace)
        self.assertGreater(seen, 200)
        missing = sum(r.get("dropped", 0) for r in trace.records.values())
        self.assertGreater(missing, 10)
        variables = sum(topic.startswith("/variable/") for _, topic in trace.tensors)
        self.assertEqual(seen + variables + missing, 7 * len(trace.records))
        self.assertEqual(int(trace.metadata["edgeprobe.dropped"]["messages"]), missing)
        self.assertEqual(int(trace.metadata["edgeprobe.dropped"]["frames"]), FRAMES - len(trace.records))


if __name__ == "__main__":
    tool.main()
