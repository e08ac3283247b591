// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// The few functions of TensorFlow Lite's C API that an application uses, found in a library that is
// opened at run time.
extern "C" {
struct TfLiteModel;
struct TfLiteInterpreterOptions;
struct TfLiteInterpreter;
struct TfLiteTensor;
typedef int TfLiteType;
typedef struct TfLiteQuantizationParams {
  float scale;
  std::int32_t zero_point;
} TfLiteQuantizationParams;
std::int32_t TfLiteInterpreterGetInputTensorCount(const TfLiteInterpreter*);
TfLiteTensor* TfLiteInterpreterGetInputTensor(const TfLiteInterpreter*, std::int32_t);
std::int32_t TfLiteInterpreterGetOutputTensorCount(const TfLiteInterpreter*);
const TfLiteTensor* TfLiteInterpreterGetOutputTensor(const TfLiteInterpreter*, std::int32_t);
const char* TfLiteTensorName(const TfLiteTensor*);
TfLiteType TfLiteTensorType(const TfLiteTensor*);
std::int32_t TfLiteTensorNumDims(const TfLiteTensor*);
std::int32_t TfLiteTensorDim(const TfLiteTensor*, std::int32_t);
void* TfLiteTensorData(const TfLiteTensor*);
std::size_t TfLiteTensorByteSize(const TfLiteTensor*);
TfLiteQuantizationParams TfLiteTensorQuantizationParams(const TfLiteTensor*);
}
#define EDGEPROBE_TFLITE_DECLARED
#include "edgeprobe/tflite.h"

/// One interpreter and its input, as in any application. Ends the program with a message if
/// something is missing.
class TfliteApp {
 public:
  TfliteApp(void* library, const std::string& model, int threads);

  TfLiteInterpreter* interpreter() const { return interpreter_; }
  const edgeprobe_tflite_api& api() const { return api_; }
  void set_input();
  void invoke();
  /// Copies the model's first output, as an application does.
  void get_output();
  std::size_t payload() const;  ///< Bytes of all inputs and outputs.

 private:
  edgeprobe_tflite_api api_{};
  TfLiteInterpreter* interpreter_ = nullptr;
  int (*invoke_)(TfLiteInterpreter*) = nullptr;
  std::vector<std::uint8_t> input_, output_;
};

void* open_library(const std::string& path);
