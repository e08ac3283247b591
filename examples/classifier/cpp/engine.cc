// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <dlfcn.h>

Engine::Engine(const std::string& library, const std::string& model, int threads,
               const std::string& delegate) {
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_) {
    error_ = dlerror();
    return;
  }
  const auto find = [this](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library_, name));
    if (!function && error_.empty()) error_ = std::string(name) + " is missing";
  };
  find(ModelCreateFromFile, "TfLiteModelCreateFromFile");
  find(ModelDelete, "TfLiteModelDelete");
  find(InterpreterOptionsCreate, "TfLiteInterpreterOptionsCreate");
  find(InterpreterOptionsDelete, "TfLiteInterpreterOptionsDelete");
  find(InterpreterOptionsSetNumThreads, "TfLiteInterpreterOptionsSetNumThreads");
  find(InterpreterOptionsAddDelegate, "TfLiteInterpreterOptionsAddDelegate");
  find(InterpreterCreate, "TfLiteInterpreterCreate");
  find(InterpreterDelete, "TfLiteInterpreterDelete");
  find(InterpreterAllocateTensors, "TfLiteInterpreterAllocateTensors");
  find(InterpreterInvoke, "TfLiteInterpreterInvoke");
  find(InterpreterGetInputTensor, "TfLiteInterpreterGetInputTensor");
  find(InterpreterGetOutputTensor, "TfLiteInterpreterGetOutputTensor");
  find(TensorType, "TfLiteTensorType");
  find(TensorDim, "TfLiteTensorDim");
  find(TensorByteSize, "TfLiteTensorByteSize");
  find(TensorData, "TfLiteTensorData");
  find(TensorQuantizationParams, "TfLiteTensorQuantizationParams");
  if (!error_.empty()) return;

  if (!delegate.empty()) {
    delegate_ = load_delegate(delegate);
    if (!delegate_) return;
  }
  model_ = ModelCreateFromFile(model.c_str());
  if (!model_) {
    error_ = model + " is not a model that TensorFlow Lite reads";
    return;
  }
  TfLiteInterpreterOptions* const options = InterpreterOptionsCreate();
  InterpreterOptionsSetNumThreads(options, threads);
  if (delegate_) InterpreterOptionsAddDelegate(options, delegate_);
  interpreter_ = InterpreterCreate(model_, options);
  InterpreterOptionsDelete(options);
  if (!interpreter_ || InterpreterAllocateTensors(interpreter_) != kTfLiteOk)
    error_ = "TensorFlow Lite cannot run " + model;
}

TfLiteDelegate* Engine::load_delegate(const std::string& library) {
  void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) {
    error_ = dlerror();
    return nullptr;
  }
  const auto create =
      reinterpret_cast<TfLiteDelegate* (*)(char**, char**, std::size_t, void (*)(const char*))>(
          dlsym(opened, "tflite_plugin_create_delegate"));
  destroy_delegate_ =
      reinterpret_cast<void (*)(TfLiteDelegate*)>(dlsym(opened, "tflite_plugin_destroy_delegate"));
  TfLiteDelegate* const delegate =
      create && destroy_delegate_ ? create(nullptr, nullptr, 0, nullptr) : nullptr;
  if (!delegate) error_ = library + " makes no delegate";
  return delegate;
}

// The libraries stay open: their threads may outlive the interpreter.
Engine::~Engine() {
  if (interpreter_) InterpreterDelete(interpreter_);
  if (model_) ModelDelete(model_);
  if (delegate_) destroy_delegate_(delegate_);
}
