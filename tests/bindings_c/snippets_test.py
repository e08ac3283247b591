# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the code of docs/guides/probe.md and README.md unchanged: each piece must leave a valid trace.

    snippets_test.py EDGEPROBE LIBRARY-FOLDER

A comment before each piece names the code that surrounds it: <!-- run: cxx -->. A piece is skipped by name if its engine or headers are
not installed."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEADERS, ENGINES = ROOT / ".deps/headers", ROOT / ".deps/engines"
EDGEPROBE = LIBRARY = None
TFLITE, ORT = ENGINES / "libjnitensorflowlite.so", ENGINES / "libonnxruntime.so"
TFLITE_C, ORT_C = HEADERS / "tflite_c", HEADERS / "onnxruntime/usr/include/onnxruntime"
TFLITE_CXX = [HEADERS / "tflite_cxx/usr/include", HEADERS / "flatbuffers/usr/include"]

# kind: (file name, engine, header folders, the code before, the code after); the model is the program's argument.
C_FRAME = """  edgeprobe_probe* probe;
  edgeprobe_frame* frame;
  edgeprobe_open("app.mcap", NULL, &probe);
  edgeprobe_frame_begin(probe, &frame);
"""
C_END = """  edgeprobe_frame_end(frame);
  edgeprobe_close(probe, NULL);
"""
MAKE_INTERPRETER = """#include "tensorflow/lite/interpreter.h"
#include "tensorflow/lite/interpreter_builder.h"
#include "tensorflow/lite/kernels/register.h"
#include "tensorflow/lite/schema/schema_generated.h"
#include <fstream>
#include <iterator>
#include <vector>
std::unique_ptr<tflite::Interpreter> make_interpreter(const char* path) {
  std::ifstream file(path, std::ios::binary);
  static std::vector<char> model;
  model.assign(std::istreambuf_iterator<char>(file), {});
  alignas(64) static char room[2][16384];  // tflite_cxx_app.cc says why.
  const auto* const resolver = new (room[0]) tflite::ops::builtin::BuiltinOpResolver;
  auto* const builder = new (room[1]) tflite::InterpreterBuilder(tflite::GetModel(model.data()), *resolver);
  std::unique_ptr<tflite::Interpreter> interpreter;
  (*builder)(&interpreter);
  interpreter->AllocateTensors();
  return interpreter;
}
"""
TFLITE_MADE = """#include "tensorflow/lite/interpreter.h"
#include <memory>
#include <vector>
#include "edgeprobe.hpp"
#include "edgeprobe/tflite.hpp"
std::unique_ptr<tflite::Interpreter> make_interpreter(const char* path);
int main(int, char** argv) {
  const std::unique_ptr<tflite::Interpreter> interpreter = make_interpreter(argv[1]);
"""
KINDS = {
    "cxx": ("app.cc", None, [], """#include <cstdint>
#include <vector>
#include "edgeprobe.hpp"
static void answer(const std::vector<float>&, std::vector<float>& scores) { scores[3] = 1; }
int main() {
  std::vector<float> input(64 * 64 * 3), scores(10);
  const std::size_t height = 48, width = 64;
  const std::vector<std::uint8_t> rgb(height * width * 3);
  answer(input, scores);
  (void)rgb;
""", "}\n"),
    "c": ("app.c", None, [], """#include "edgeprobe.h"
#include "edgeprobe/shorthand.h"
static void answer(const float* input, float* scores) { scores[3] = input[0] + 1; }
int main(void) {
  static float input[64 * 64 * 3], scores[10];
""" + C_FRAME, C_END + "}\n"),
    "tflite_c": ("app.c", TFLITE, [TFLITE_C], """#include "tensorflow/lite/c/c_api.h"
#include "edgeprobe.h"
#include "edgeprobe/tflite.h"
int main(int argc, char** argv) {
  TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(TfLiteModelCreateFromFile(argv[argc - 1]), NULL);
  TfLiteInterpreterAllocateTensors(interpreter);
""", "}\n"),
    "tflite_cxx": ("app.cc", TFLITE, TFLITE_CXX, TFLITE_MADE, "}\n"),
    "layers": ("app.cc", TFLITE, TFLITE_CXX, TFLITE_MADE, "}\n"),
    "ort_c": ("app.c", ORT, [ORT_C], """#include "onnxruntime_c_api.h"
#include "edgeprobe.h"
#include "edgeprobe/onnxruntime.h"
int main(int argc, char** argv) {
  static float values[3 * 64 * 64];
  const int64_t shape[] = {1, 3, 64, 64};
  const char* const input_names[] = {"image"};
  const char* const output_names[] = {"probabilities"};
  const OrtApi* ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtEnv* env; OrtSessionOptions* settings; OrtSession* session; OrtMemoryInfo* memory; OrtValue* input; OrtValue* outputs[1] = {NULL};
  const OrtValue* inputs[1];
  if (ort->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "app", &env) || ort->CreateSessionOptions(&settings) ||
      ort->CreateSession(env, argv[argc - 1], settings, &session) || ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory) ||
      ort->CreateTensorWithDataAsOrtValue(memory, values, sizeof values, shape, 4, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &input)) return 1;
  inputs[0] = input;
""" + C_FRAME, C_END + "}\n"),
    "ort_cxx": ("app.cc", ORT, [ORT_C], """#include "onnxruntime_cxx_api.h"
#include <vector>
#include "edgeprobe.hpp"
#include "edgeprobe/onnxruntime.hpp"
int main(int, char** argv) {
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "app");
  Ort::Session session(env, argv[1], Ort::SessionOptions{});
  const char* const input_names[] = {"image"};
  const char* const output_names[] = {"probabilities"};
  std::vector<float> values(3 * 64 * 64);
  const std::int64_t shape[] = {1, 3, 64, 64};
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  const Ort::Value input = Ort::Value::CreateTensor<float>(memory, values.data(), values.size(), shape, 4);
""", "}\n"),
}


def snippets(path):
    """(line, kind, text) of each piece whose comment names the surrounding code."""
    text = path.read_text()
    for match in re.finditer(r"<!-- run: (\w+) -->\n```(?:cpp|c)\n(.*?)```", text, re.S):
        yield text[:match.start(2)].count("\n") + 1, match.group(1), match.group(2)


class Snippets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory(prefix="edgeprobe_snippet_")
        cls.addClassCleanup(cls.made.cleanup)

    def interpreter_maker(self):
        """Compiles an object file once: its headers take longer than all pieces of the page."""
        target = pathlib.Path(self.made.name) / "make_interpreter.o"
        if not target.exists():
            subprocess.run(["g++", "-std=c++17", "-c", "-x", "c++", "-", "-o", target, *[f"-isystem{header}" for header in TFLITE_CXX]],
                           input=MAKE_INTERPRETER, text=True, check=True)
        return target

    def compile_and_run(self, kind, text):
        source, engine, headers, before, after = KINDS[kind]
        for needed in [engine, *headers] if engine else []:
            if not needed.exists():
                self.skipTest(f"{kind}: no {needed.relative_to(ROOT)} (script/setup --test brings it)")
        with tempfile.TemporaryDirectory(prefix="edgeprobe_snippet_") as name:
            folder = pathlib.Path(name)
            (folder / source).write_text(before + text + after)
            library = []
            if engine:
                soname = re.search(r"SONAME.*\[(.*)\]", subprocess.run(["readelf", "-d", engine], capture_output=True, text=True).stdout)
                if soname:
                    (folder / soname.group(1)).symlink_to(engine)
                library = [engine, f"-Wl,-rpath,{folder}:{engine.parent}"]
            if headers == TFLITE_CXX:
                library.append(self.interpreter_maker())
            compiler = ["g++", "-std=c++17"] if source.endswith(".cc") else ["gcc", "-std=c11"]
            done = subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", folder / source, "-o", folder / "app", "-I", ROOT / "bindings/c/include",
                                   *[f"-isystem{header}" for header in headers], "-L", LIBRARY, "-ledgeprobe", f"-Wl,-rpath,{LIBRARY}", *map(str, library)],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            model = ROOT / "models" / ("signs_float.onnx" if engine == ORT else "signs_int8.tflite")
            if kind == "layers":
                model = folder / "layers.tflite"
                subprocess.run([EDGEPROBE, "instrument", ROOT / "models/signs_int8.tflite", "--out", model], check=True, capture_output=True)
            done = subprocess.run([folder / "app", model], cwd=folder, capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)
            traces = list(folder.glob("*.mcap"))
            self.assertEqual(len(traces), 1)
            checked = subprocess.run([EDGEPROBE, "trace", "verify", traces[0]], capture_output=True, text=True)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
            told = subprocess.run([EDGEPROBE, "trace", "info", traces[0]], capture_output=True, text=True).stdout
            if engine:
                self.assertRegex(told, r"model_input .*\bimage\b")
                self.assertRegex(told, r"model_output .* probabilities")
            if kind == "layers":
                self.assertEqual(len(re.findall(r"^layer ", told, re.M)), 18, told)

    def test_the_page(self):
        found = list(snippets(ROOT / "docs/guides/probe.md"))
        self.assertEqual({kind for _, kind, _ in found}, set(KINDS))
        for line, kind, text in found:
            with self.subTest(line=line, kind=kind):
                self.compile_and_run(kind, text)
        print(f"docs/guides/probe.md: {len(found)} pieces of code compile and run", flush=True)

    def test_the_readme(self):
        text = re.search(r"## In your own app.*?```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.S).group(1)
        # The README's code needs a picture.
        self.compile_and_run("tflite_cxx", "const std::size_t height = 48, width = 64;\nconst std::vector<unsigned char> rgb(height * width * 3);\n" + text)

    def test_every_piece_of_code_says_what_surrounds_it(self):
        text = (ROOT / "docs/guides/probe.md").read_text()
        self.assertEqual(len(re.findall(r"^```(?:cpp|c)$", text, re.M)), len(list(snippets(ROOT / "docs/guides/probe.md"))))


if __name__ == "__main__":
    EDGEPROBE, LIBRARY = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=2)
