// SPDX-License-Identifier: Apache-2.0
// tflite_cxx_app MODEL INPUT TRACE [OWN_OUTPUTS]: one inference on the bytes of a file by
// TensorFlow Lite's C++ API.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "tensorflow/lite/interpreter.h"
#include "tensorflow/lite/interpreter_builder.h"
#include "tensorflow/lite/kernels/register.h"
#include "tensorflow/lite/schema/schema_generated.h"

#include "edgeprobe.hpp"
#include "edgeprobe/tflite.hpp"

static std::vector<char> read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int main(int argc, char** argv) {
  const std::vector<char> model = read(argv[1]), values = read(argv[2]);
  // The available headers are of 2.14 and the library is of 2.18, whose builder and resolver may be
  // larger: reserves room for both, and calls no destructor. The library makes and frees the
  // interpreter itself.
  alignas(64) static char room[2][16384];
  const auto* const resolver = new (room[0]) tflite::ops::builtin::BuiltinOpResolver;
  auto* const builder =
      new (room[1]) tflite::InterpreterBuilder(tflite::GetModel(model.data()), *resolver);
  std::unique_ptr<tflite::Interpreter> interpreter;
  builder->SetNumThreads(1);
  if ((*builder)(&interpreter) != kTfLiteOk || interpreter->AllocateTensors() != kTfLiteOk)
    return 1;
  std::size_t at = 0;
  for (const int index : interpreter->inputs()) {
    TfLiteTensor* const input = interpreter->tensor(index);
    if (at + input->bytes > values.size()) return 1;
    std::copy_n(values.data() + at, input->bytes, input->data.raw);
    at += input->bytes;
  }

  edgeprobe::Options options(edgeprobe::Level::layers);
  if (argc > 4) options.own_outputs = static_cast<std::uint32_t>(std::atoi(argv[4]));
  edgeprobe::Probe probe(argv[3], options);
  const auto frame = probe.frame();
  const edgeprobe::Status started = frame.start(interpreter);
  interpreter->Invoke();
  const edgeprobe::Status stopped = frame.stop(interpreter);
  if (started == edgeprobe::Status::ok && stopped == edgeprobe::Status::ok) return 0;
  std::fprintf(stderr, "%s%s\n", probe.error().c_str(), edgeprobe::last_error());
  return 1;
}
