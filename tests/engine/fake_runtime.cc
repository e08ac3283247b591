// A shared library with the TFLite C interface whose "model" is a word that says how to misbehave, so
// that the supervision of real runtimes can be tested at will:
//   "good" copies its one input (4 bytes) to its one output; "crash load", "crash run", "abort run",
//   "hang load", "hang run", "exit run", "noisy run", "refuse run", "overwrite run".
#include <unistd.h>

#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#ifndef FAKE_VERSION
#define FAKE_VERSION "2.18.0-fake"
#endif

namespace {

using Reporter = void(void*, const char*, va_list);

struct Model {
  std::string word;
};
struct Options {
  Reporter* reporter = nullptr;
  void* data = nullptr;
};
struct Interpreter {
  std::string word;
  Options options;
};
struct Tensor {
  char bytes[4] = {};
};
Tensor input_tensor;
Tensor output_tensor;

void report(const Options& options, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  options.reporter(options.data, format, arguments);
  va_end(arguments);
}

[[noreturn]] void loop() {
  while (true) ::pause();
}

[[noreturn]] void crash() {
  std::fprintf(stderr, "ERROR: about to touch address zero\n");
  std::signal(SIGSEGV, SIG_DFL);  // Sanitizers would exit with a report instead.
  std::raise(SIGSEGV);
  std::abort();
}

struct Quantization {
  float scale = 0;
  std::int32_t zero_point = 0;
};

}  // namespace

extern "C" {

const char* TfLiteVersion() { return FAKE_VERSION; }

Model* TfLiteModelCreateWithErrorReporter(const void* bytes, std::size_t size, Reporter*, void*) {
  auto* const model = new Model{std::string(static_cast<const char*>(bytes), size)};
  if (model->word == "crash load") crash();
  if (model->word == "hang load") loop();
  return model;
}
void TfLiteModelDelete(Model* model) { delete model; }
Options* TfLiteInterpreterOptionsCreate() { return new Options; }
void TfLiteInterpreterOptionsDelete(Options* options) { delete options; }
void TfLiteInterpreterOptionsSetNumThreads(Options*, std::int32_t) {}
void TfLiteInterpreterOptionsSetErrorReporter(Options* options, Reporter* reporter, void* data) {
  *options = {reporter, data};
}
void TfLiteInterpreterOptionsAddDelegate(Options*, void*) {}
Interpreter* TfLiteInterpreterCreate(const Model* model, const Options* options) {
  return new Interpreter{model->word, *options};
}
void TfLiteInterpreterDelete(Interpreter* interpreter) { delete interpreter; }
int TfLiteInterpreterAllocateTensors(Interpreter*) { return 0; }
int TfLiteInterpreterResizeInputTensor(Interpreter*, std::int32_t, const int*, std::int32_t) { return 0; }
std::int32_t TfLiteInterpreterGetInputTensorCount(const Interpreter*) { return 1; }
std::int32_t TfLiteInterpreterGetOutputTensorCount(const Interpreter*) { return 1; }
Tensor* TfLiteInterpreterGetInputTensor(const Interpreter*, std::int32_t) { return &input_tensor; }
const Tensor* TfLiteInterpreterGetOutputTensor(const Interpreter*, std::int32_t) { return &output_tensor; }
int TfLiteTensorType(const Tensor*) { return 3; }
std::int32_t TfLiteTensorNumDims(const Tensor*) { return 1; }
std::int32_t TfLiteTensorDim(const Tensor*, std::int32_t) { return 4; }
std::size_t TfLiteTensorByteSize(const Tensor*) { return 4; }
void* TfLiteTensorData(Tensor* tensor) { return tensor->bytes; }
const char* TfLiteTensorName(const Tensor* tensor) { return tensor == &input_tensor ? "in" : "out"; }
Quantization TfLiteTensorQuantizationParams(const Tensor*) { return {}; }

int TfLiteInterpreterInvoke(Interpreter* interpreter) {
  const std::string& word = interpreter->word;
  if (word == "crash run") crash();
  if (word == "abort run") std::abort();
  if (word == "hang run") loop();
  if (word == "exit run") ::_exit(7);
  if (word == "refuse run") {
    report(interpreter->options, "Node number %d (WORD) failed to invoke.", 3);
    return 1;
  }
  if (word == "noisy run")
    for (int i = 0; i < 100'000; ++i) std::fprintf(stderr, "line %d of very many that nobody reads\n", i);
  if (word == "overwrite run") {
    // What a wild pointer may do: garbage on the descriptor that leads to the parent.
    const char garbage[64] = "not a message of ours at all, just bytes that an engine wrote";
    if (::write(3, garbage, sizeof garbage) < 0) return 1;
  }
  std::memcpy(output_tensor.bytes, input_tensor.bytes, sizeof input_tensor.bytes);
  return 0;
}

}  // extern "C"
