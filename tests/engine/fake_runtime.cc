// SPDX-License-Identifier: Apache-2.0
// A shared library with the TFLite C interface whose "model" is a word that says how to misbehave,
// so that the supervision of real runtimes can be tested at will:
//   "good" copies its one input (4 bytes) to its one output; "crash load", "crash run", "abort
//   run", "hang load", "hang run", "exit run", "noisy run", "refuse run", "overwrite run"; and as a
//   runtime that a model took over: "forge run", "attach run", "claim run", "helper run".
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
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

/// Sends one message of the engine process to its parent, in pieces of `piece` bytes, each with
/// `descriptors` descriptors attached.
void forge(const std::string& body, std::uint64_t length, std::size_t piece,
           std::size_t descriptors) {
  std::string message = "EPW1";
  const std::uint32_t reply = 7;
  message.append(reinterpret_cast<const char*>(&reply), sizeof reply);
  message.append(reinterpret_cast<const char*>(&length), sizeof length);
  message += body;
  for (std::size_t at = 0; at < message.size(); at += piece) {
    iovec part{message.data() + at, std::min(piece, message.size() - at)};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 2)] = {};
    if (descriptors) {
      header.msg_control = control;
      header.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors);
      cmsghdr* const attached = CMSG_FIRSTHDR(&header);
      attached->cmsg_level = SOL_SOCKET;
      attached->cmsg_type = SCM_RIGHTS;
      attached->cmsg_len = CMSG_LEN(sizeof(int) * descriptors);
      const int both[2] = {2, 2};
      std::memcpy(CMSG_DATA(attached), both, sizeof(int) * descriptors);
    }
    if (::sendmsg(3, &header, MSG_NOSIGNAL) < 0) return;
  }
}

std::string refusal(const std::string& text) {
  const std::uint64_t size = text.size();
  return std::string("\0\0", 2) + std::string(reinterpret_cast<const char*>(&size), sizeof size) +
         text;
}

struct Quantization {  // As in C.
  float scale;
  std::int32_t zero_point;
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
int TfLiteInterpreterResizeInputTensor(Interpreter*, std::int32_t, const int*, std::int32_t) {
  return 0;
}
std::int32_t TfLiteInterpreterGetInputTensorCount(const Interpreter*) { return 1; }
std::int32_t TfLiteInterpreterGetOutputTensorCount(const Interpreter*) { return 1; }
Tensor* TfLiteInterpreterGetInputTensor(const Interpreter*, std::int32_t) { return &input_tensor; }
const Tensor* TfLiteInterpreterGetOutputTensor(const Interpreter*, std::int32_t) {
  return &output_tensor;
}
int TfLiteTensorType(const Tensor*) { return 3; }
std::int32_t TfLiteTensorNumDims(const Tensor*) { return 1; }
std::int32_t TfLiteTensorDim(const Tensor*, std::int32_t) { return 4; }
std::size_t TfLiteTensorByteSize(const Tensor*) { return 4; }
void* TfLiteTensorData(Tensor* tensor) { return tensor->bytes; }
const char* TfLiteTensorName(const Tensor* tensor) {
  return tensor == &input_tensor ? "in" : "out";
}
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
    for (int i = 0; i < 100'000; ++i)
      std::fprintf(stderr, "line %d of very many that nobody reads\n", i);
  if (word == "forge run" || word == "attach run") {
    const std::string body = refusal("\x1b[31m\x1b]0;title\x07 red\r\nedgeprobe: agrees");
    if (word == "forge run") forge(body, body.size(), 4096, 0);
    else forge(body, body.size(), 1, 2);
    ::_exit(0);
  }
  if (word == "claim run") {
    forge("", std::uint64_t{1} << 32, 4096, 0);
    loop();
  }
  if (word == "helper run" && ::fork() == 0)
    while (::write(2, "again\n", 6) > 0) {
    }
  if (word == "helper run") ::_exit(7);
  if (word == "overwrite run") {
    // Simulates a wild pointer: garbage on the descriptor that leads to the parent.
    const char garbage[64] = "not a message of ours at all, just bytes that an engine wrote";
    if (::write(3, garbage, sizeof garbage) < 0) return 1;
  }
  std::memcpy(output_tensor.bytes, input_tensor.bytes, sizeof input_tensor.bytes);
  return 0;
}

}  // extern "C"
