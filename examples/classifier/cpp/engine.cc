#include "engine.h"

#include <dlfcn.h>

Engine::Engine(const std::string& library, const std::string& model, int threads) {
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

  model_ = ModelCreateFromFile(model.c_str());
  if (!model_) {
    error_ = model + " is no model that TensorFlow Lite reads";
    return;
  }
  TfLiteInterpreterOptions* const options = InterpreterOptionsCreate();
  InterpreterOptionsSetNumThreads(options, threads);
  interpreter_ = InterpreterCreate(model_, options);
  InterpreterOptionsDelete(options);
  if (!interpreter_ || InterpreterAllocateTensors(interpreter_) != kTfLiteOk) error_ = "TensorFlow Lite cannot run " + model;
}

// The library stays open: its threads may outlive the interpreter.
Engine::~Engine() {
  if (interpreter_) InterpreterDelete(interpreter_);
  if (model_) ModelDelete(model_);
}
