// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tensorflow/lite/c/c_api.h"

/// TensorFlow Lite through its C API. The library is opened at run time, so the app uses the one on
/// the device.
class Engine {
 public:
  /// On failure error() returns the reason.
  /// `delegate`: the library of an external delegate, or empty.
  Engine(const std::string& library, const std::string& model, int threads,
         const std::string& delegate = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const std::string& error() const { return error_; }
  void* library() const { return library_; }
  TfLiteInterpreter* interpreter() const { return interpreter_; }

  // The functions that this app calls, under the names of the C API.
  decltype(&TfLiteModelCreateFromFile) ModelCreateFromFile = nullptr;
  decltype(&TfLiteModelDelete) ModelDelete = nullptr;
  decltype(&TfLiteInterpreterOptionsCreate) InterpreterOptionsCreate = nullptr;
  decltype(&TfLiteInterpreterOptionsDelete) InterpreterOptionsDelete = nullptr;
  decltype(&TfLiteInterpreterOptionsSetNumThreads) InterpreterOptionsSetNumThreads = nullptr;
  decltype(&TfLiteInterpreterOptionsAddDelegate) InterpreterOptionsAddDelegate = nullptr;
  decltype(&TfLiteInterpreterCreate) InterpreterCreate = nullptr;
  decltype(&TfLiteInterpreterDelete) InterpreterDelete = nullptr;
  decltype(&TfLiteInterpreterAllocateTensors) InterpreterAllocateTensors = nullptr;
  decltype(&TfLiteInterpreterInvoke) InterpreterInvoke = nullptr;
  decltype(&TfLiteInterpreterGetInputTensor) InterpreterGetInputTensor = nullptr;
  decltype(&TfLiteInterpreterGetOutputTensor) InterpreterGetOutputTensor = nullptr;
  decltype(&TfLiteTensorType) TensorType = nullptr;
  decltype(&TfLiteTensorDim) TensorDim = nullptr;
  decltype(&TfLiteTensorByteSize) TensorByteSize = nullptr;
  decltype(&TfLiteTensorData) TensorData = nullptr;
  decltype(&TfLiteTensorQuantizationParams) TensorQuantizationParams = nullptr;

 private:
  /// The functions that the library of an external delegate exports.
  TfLiteDelegate* load_delegate(const std::string& library);

  std::string error_;
  void* library_ = nullptr;
  TfLiteModel* model_ = nullptr;
  TfLiteInterpreter* interpreter_ = nullptr;
  TfLiteDelegate* delegate_ = nullptr;
  void (*destroy_delegate_)(TfLiteDelegate*) = nullptr;
};
