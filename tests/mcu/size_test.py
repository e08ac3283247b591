# SPDX-License-Identifier: Apache-2.0
"""The compiler's results equal the figures for code, memory and stack in docs/guides/microcontroller.md; the probe calls no external function."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import wire

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "bindings/mcu/edgeprobe_mcu.c"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-Werror"]
# Maximum code bytes at -Os, and stack bytes of the deepest chain of calls inside the file.
LIMITS = {"cortex-m0": (2600, 250), "cortex-m3": (2500, 250), "cortex-m4": (2500, 250), "cortex-m7": (2500, 250)}
# : Additional code bytes if answers are logged.
MOST_OF_ANSWERS = 900
STATE = 328


def compiled(folder, compiler, *flags):
    out = folder / "probe.o"
    subprocess.run([compiler, "-std=c11", "-ffreestanding", *WARNINGS, *flags, "-c", SOURCE, "-o", out], check=True, cwd=folder)
    return out


def output(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout


def deepest(graph):
    """Stack bytes of the deepest chain of calls, from gcc's -fcallgraph-info=su."""
    own, calls = {}, {}
    for title, size in re.findall(r'node: \{ title: "([^"]+)" label: "[^"]*\\n(\d+) bytes', graph):
        own[title] = int(size)
    for source, target in re.findall(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', graph):
        calls.setdefault(source, set()).add(target)

    def depth(title, above=()):
        assert title not in above, f"{title} calls itself"
        return own.get(title, 0) + max((depth(t, (*above, title)) for t in calls.get(title, ())), default=0)

    return max(depth(title) for title in own)


@unittest.skipUnless(shutil.which("arm-none-eabi-gcc"), "no arm-none-eabi-gcc; script/setup --test installs it")
class Arm(unittest.TestCase):
    def test_code_stack_and_no_calls_outside(self):
        page = (ROOT / "docs/guides/microcontroller.md").read_text()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for cpu, (most_code, most_stack) in LIMITS.items():
                for level in ("-O0", "-Os", "-O2", "-O3"):
                    out = compiled(folder, "arm-none-eabi-gcc", f"-mcpu={cpu}", "-mthumb", level)
                    self.assertEqual(output("arm-none-eabi-nm", "-u", out).strip(), "", f"{cpu} {level} calls somebody")
                    whole = int(output("arm-none-eabi-size", out).splitlines()[1].split()[0])
                    out = compiled(folder, "arm-none-eabi-gcc", f"-mcpu={cpu}", "-mthumb", level, "-fcallgraph-info=su", "-DEDGEPROBE_MCU_NO_ANSWERS")
                    code, data, bss = map(int, output("arm-none-eabi-size", out).splitlines()[1].split()[:3])
                    stack = deepest((folder / "probe.ci").read_text())
                    print(f"{cpu} {level}: {code} bytes of code, {stack} of stack")
                    self.assertEqual((data, bss), (0, 0))
                    if level == "-Os":
                        self.assertLessEqual(code, most_code, cpu)
                        self.assertLessEqual(stack, most_stack, cpu)
                        self.assertLessEqual(whole - code, MOST_OF_ANSWERS, cpu)
                        stated = re.search(rf"^\| {cpu} \| ([\d,]+) \| (\d+) \| ([\d,]+) \|", page, re.M)
                        self.assertIsNotNone(stated, f"the page has no row for {cpu}")
                        self.assertLessEqual(abs(int(stated[1].replace(",", "")) - code), 0.02 * code, "the page states another size")
                        self.assertLessEqual(abs(int(stated[2]) - stack), 16, "the page states another stack")
                        self.assertLessEqual(abs(int(stated[3].replace(",", "")) - whole), 0.02 * whole, "the page states another size of all")

    def test_the_state(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "state.c").write_text('#include "edgeprobe_mcu.h"\nchar state[sizeof(edgeprobe_mcu)];\nchar channel[sizeof(edgeprobe_mcu_channel)];\n')
            subprocess.run(["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-I", SOURCE.parent, "-c", "state.c"], check=True, cwd=folder)
            sizes = {line.split()[3]: int(line.split()[1], 16) for line in output("arm-none-eabi-nm", "-S", folder / "state.o").splitlines()}
            self.assertEqual(sizes, {"state": STATE, "channel": 8})
            self.assertIn(f"{STATE} bytes", (ROOT / "docs/guides/microcontroller.md").read_text())


class Host(unittest.TestCase):
    def test_both_compilers_make_it_without_calls_outside(self):
        found = [c for c in ("gcc", "clang") if shutil.which(c)]
        self.assertTrue(found)
        with tempfile.TemporaryDirectory() as name:
            for compiler in found:
                for level in ("-O0", "-Os", "-O3"):
                    out = compiled(pathlib.Path(name), compiler, level, "-fno-stack-protector")
                    self.assertEqual(output("nm", "-u", out).strip(), "", f"{compiler} {level}")

    def test_both_compilers_and_sanitizers_send_the_same_bytes(self):
        lines, codes = set(), set()
        with tempfile.TemporaryDirectory() as name:
            for compiler in [c for c in ("gcc", "clang") if shutil.which(c)]:
                for flags in (["-O0"], ["-O3"], ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]):
                    program = pathlib.Path(name) / "host"
                    subprocess.run([compiler, "-std=c11", *WARNINGS, *flags, "-I", SOURCE.parent, SOURCE, HERE / "host.c", "-o", program], check=True)
                    done = subprocess.run([program], capture_output=True)
                    self.assertEqual(done.stderr, b"", f"{compiler} {flags}")
                    lines.add(done.stdout)
                    codes.add(done.returncode)
        self.assertEqual(len(lines), 1)
        self.assertEqual(len(codes), 1)
        dropped, line = codes.pop(), lines.pop()
        self.assertGreater(dropped, 3)
        # Decoded according to the page only: whole messages, and their values.
        seen, message, last = {}, b"", None
        for piece in line.split(b"\0"):
            packet = wire.uncobs(piece)
            if len(packet) < 10 or zlib.crc32(packet[:-4]) != int.from_bytes(packet[-4:], "little"):
                continue
            number, part = int.from_bytes(packet[:4], "little"), packet[4]
            message = packet[5:-4] if part & 1 else message + packet[5:-4] if last == number - 1 else b""
            last = number
            if part & 2 and message:
                if not part & 1:
                    self.assertEqual(zlib.crc32(message[:-4]), int.from_bytes(message[-4:], "little"))
                    message = message[:-4]
                seen.setdefault(message[0], []).append(message)
        frames = [int.from_bytes(m[1:5], "little") for m in seen[8]]
        self.assertEqual(len(frames), 20 - dropped)
        for m in seen[5]:
            frame, channel, values = int.from_bytes(m[1:5], "little"), m[5] + 256 * m[6], m[11:]
            expected = (b"".join((frame * i & 0xffff).to_bytes(2, "little") for i in range(300)) if channel == 0 else
                        b"".join(bytes((frame + 16 * y + x) % 256 for x in range(15)) for y in range(4)))
            self.assertEqual(values, expected)
        self.assertEqual(int.from_bytes(seen[11][-1][5:9], "little"), dropped)

    def test_the_page_s_program_compiles(self):
        page = (ROOT / "docs/guides/microcontroller.md").read_text()
        with tempfile.TemporaryDirectory() as name:
            source = pathlib.Path(name) / "app.c"
            source.write_text(re.search(r"```c\n(.*?)```", page, re.S)[1])
            subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", SOURCE.parent, "-fsyntax-only", source], check=True)

    def test_it_is_a_header_for_cpp_too(self):
        with tempfile.TemporaryDirectory() as name:
            source = pathlib.Path(name) / "a.cc"
            source.write_text('#include "edgeprobe_mcu.h"\nint main() { return edgeprobe_mcu_close(nullptr) != EDGEPROBE_MCU_OFF; }\n')
            for standard in ("c++11", "c++20"):
                subprocess.run(["g++", f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", SOURCE.parent, "-fsyntax-only", source],
                               check=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
