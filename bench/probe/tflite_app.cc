// SPDX-License-Identifier: Apache-2.0
#include "tflite_app.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

template <class Function>
Function* find(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (!found) fail(std::string("the library has no ") + name);
  return reinterpret_cast<Function*>(found);
}

}  // namespace

void* open_library(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) fail(dlerror());
  return library;
}

TfliteApp::TfliteApp(void* library, const std::string& path, int threads) {
  if (!edgeprobe_tflite_load(&api_, library, dlsym))
    fail("the library lacks a function of the C API");
  const auto model_create = find<TfLiteModel*(const char*)>(library, "TfLiteModelCreateFromFile");
  const auto options_create =
      find<TfLiteInterpreterOptions*()>(library, "TfLiteInterpreterOptionsCreate");
  const auto set_threads = find<void(TfLiteInterpreterOptions*, std::int32_t)>(
      library, "TfLiteInterpreterOptionsSetNumThreads");
  const auto create = find<TfLiteInterpreter*(const TfLiteModel*, const TfLiteInterpreterOptions*)>(
      library, "TfLiteInterpreterCreate");
  const auto allocate = find<int(TfLiteInterpreter*)>(library, "TfLiteInterpreterAllocateTensors");
  invoke_ = find<int(TfLiteInterpreter*)>(library, "TfLiteInterpreterInvoke");
  TfLiteModel* const model = model_create(path.c_str());
  if (!model) fail("cannot load " + path);
  TfLiteInterpreterOptions* const options = options_create();
  set_threads(options, threads);
  // Only the first two fields are used. The struct is larger than any version of the library's,
  // which is returned by value.
  struct XnnpackOptions {
    std::int32_t threads;
    std::uint32_t flags;
    char rest[248];
  };
  const auto defaults = find<XnnpackOptions()>(library, "TfLiteXNNPackDelegateOptionsDefault");
  const auto create_xnnpack =
      find<void*(const XnnpackOptions*)>(library, "TfLiteXNNPackDelegateCreate");
  const auto add_delegate =
      find<void(TfLiteInterpreterOptions*, void*)>(library, "TfLiteInterpreterOptionsAddDelegate");
  XnnpackOptions xnnpack = defaults();
  xnnpack.threads = threads;
  xnnpack.flags |= 3;  // 8-bit operators, signed and unsigned
  add_delegate(options, create_xnnpack(&xnnpack));
  interpreter_ = create(model, options);
  if (!interpreter_ || allocate(interpreter_) != 0) fail("cannot make an interpreter of " + path);

  const TfLiteTensor* const input = api_.input(interpreter_, 0);
  input_.resize(api_.size(input));
  output_.resize(api_.size(api_.output(interpreter_, 0)));
  std::mt19937 generator(1);
  if (static_cast<int>(api_.type(input)) == 1) {
    for (std::size_t i = 0; i + 4 <= input_.size(); i += 4) {
      const float value = static_cast<float>(generator() % 2000) / 1000.f - 1.f;
      std::memcpy(&input_[i], &value, 4);
    }
  } else {
    for (auto& byte : input_) byte = static_cast<std::uint8_t>(generator());
  }
}

void TfliteApp::set_input() {
  std::memcpy(api_.data(api_.input(interpreter_, 0)), input_.data(), input_.size());
}
void TfliteApp::invoke() {
  if (invoke_(interpreter_) != 0) fail("the inference failed");
}
void TfliteApp::get_output() {
  std::memcpy(output_.data(), api_.data(api_.output(interpreter_, 0)), output_.size());
}

std::size_t TfliteApp::payload() const {
  std::size_t bytes = 0;
  for (std::int32_t i = 0; i < api_.input_count(interpreter_); ++i)
    bytes += api_.size(api_.input(interpreter_, i));
  for (std::int32_t i = 0; i < api_.output_count(interpreter_); ++i)
    bytes += api_.size(api_.output(interpreter_, i));
  return bytes;
}
