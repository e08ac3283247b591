// SPDX-License-Identifier: Apache-2.0
// edgeprobe/tflite.hpp: records the inputs and outputs of a tflite::Interpreter.
//
//     frame.start(interpreter);   interpreter->Invoke();   frame.stop(interpreter);
//
// `interpreter` may be a tflite::Interpreter, a pointer or smart pointer to one, or, if TensorFlow
// Lite's C API was included before, a TfLiteInterpreter*. No header of TensorFlow Lite is included
// here: any type with inputs(), outputs() and a tensor(int) that returns a TfLiteTensor* works, in
// any version since 2.3. With Options::own_outputs and a model patched by `edgeprobe instrument`,
// the layers are among the outputs and are recorded as layers.
//
// The inputs are recorded before the clock starts and the outputs after it has stopped: the latency
// covers only the invoke. Values that a delegate keeps elsewhere are fetched first. A tensor of
// strings, resources, complex numbers or 4-bit integers, or a dynamic one without memory, is
// skipped: the others are recorded, the status is Status::unsupported, and last_error() names the
// last skipped one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "edgeprobe.hpp"
#include "edgeprobe/tflite_types.h"
#if defined(TENSORFLOW_LITE_C_C_API_H_) || defined(TENSORFLOW_LITE_CORE_C_C_API_H_) || \
    defined(EDGEPROBE_TFLITE_DECLARED)
#include "edgeprobe/tflite.h"
#define EDGEPROBE_TFLITE_HAS_C_API 1
#endif

namespace edgeprobe {
inline namespace v1 {
namespace detail {

template <class T, class = void>
struct IsTfliteInterpreter : std::false_type {};
template <class T>
struct IsTfliteInterpreter<
    T,
    std::void_t<decltype(std::declval<T&>().inputs()[0]), decltype(std::declval<T&>().outputs()[0]),
                decltype(std::declval<T&>().tensor(0)->quantization.params)>> : std::true_type {};

template <class T, class = void>
struct HasStaleTensors : std::false_type {};
template <class T>
struct HasStaleTensors<T, std::void_t<decltype(std::declval<T&>().EnsureTensorDataIsReadable(0))>>
    : std::true_type {};

/// The layout of TfLiteAffineQuantization, which TfLiteTensor refers to with a void*: {floats,
/// integers, axis}. Both TfLiteIntArray and TfLiteFloatArray begin with their length.
struct TfliteAffine {
  const int* scale;
  const int* zero_point;
  std::int32_t axis;
};
constexpr int kTfliteAffine = 1;  // kTfLiteAffineQuantization

template <class Tensor>
Status log_tflite_tensor(const Frame& frame, const Tensor* from, Stage stage,
                         std::int32_t position) noexcept {
  const auto place = static_cast<edgeprobe_stage>(stage);
  if (from == nullptr)
    return status(
        edgeprobe_leave_out(place, position, "", "the interpreter has none at this place"));
  const char* reason = "";
  const int dtype = edgeprobe_tflite_dtype(static_cast<int>(from->type), &reason);
  if (dtype < 0) return status(edgeprobe_leave_out(place, position, from->name, reason));
  if (from->dims == nullptr || from->dims->size < 0 || from->dims->size > EDGEPROBE_MAX_RANK) {
    return status(edgeprobe_leave_out(place, position, from->name, "its shape cannot be recorded"));
  }
  if (from->data.raw == nullptr && from->bytes > 0) {
    return status(edgeprobe_leave_out(
        place, position, from->name, "it has no memory; a dynamic tensor gets some in the invoke"));
  }
  const Shape shape(from->dims->data, static_cast<std::size_t>(from->dims->size));
  edgeprobe_tensor tensor = {};
  tensor.struct_size = sizeof tensor;
  tensor.stage = place;
  tensor.name = from->name;
  tensor.dtype = static_cast<edgeprobe_dtype>(dtype);
  tensor.rank = shape.rank();
  tensor.shape = shape.data();
  tensor.data = from->data.raw;
  tensor.size = from->bytes;
  tensor.position = position;
  const std::int64_t zero_point = from->params.zero_point;
  if (from->params.scale != 0) {
    tensor.scale_count = 1;
    tensor.scale = &from->params.scale;
    tensor.zero_point = &zero_point;
  }
  std::vector<std::int64_t> zero_points;
  const auto* affine = static_cast<int>(from->quantization.type) == kTfliteAffine
                           ? static_cast<const TfliteAffine*>(from->quantization.params)
                           : nullptr;
  if (affine != nullptr && affine->scale != nullptr && affine->scale[0] > 1) {
    tensor.scale_count = static_cast<std::uint32_t>(affine->scale[0]);
    tensor.scale = reinterpret_cast<const float*>(affine->scale + 1);
    tensor.zero_point = nullptr;
    tensor.axis = affine->axis;
    if (affine->zero_point != nullptr && affine->zero_point[0] == affine->scale[0]) {
      try {
        zero_points.assign(affine->zero_point + 1, affine->zero_point + 1 + affine->zero_point[0]);
      } catch (...) {
        return status(edgeprobe_fail(EDGEPROBE_LIMIT, "no memory for the zero points of a tensor"));
      }
      tensor.zero_point = zero_points.data();
    }
  }
  return frame.log(tensor);
}

template <class Interpreter, class Indices>
Status log_tflite(const Frame& frame, Interpreter& interpreter, const Indices& indices,
                  Stage stage) noexcept {
  if (!frame.wants(stage)) return Status::ok;
  Status first = Status::ok;
  std::int32_t position = 0;
  for (const int index : indices) {
    if constexpr (HasStaleTensors<Interpreter>::value) {
      const auto* tensor = interpreter.tensor(index);
      if (tensor != nullptr && tensor->data_is_stale) interpreter.EnsureTensorDataIsReadable(index);
    }
    const Status one = log_tflite_tensor(frame, interpreter.tensor(index), stage, position++);
    if (first == Status::ok) first = one;
  }
  return first;
}

template <class T>
using IfTflite = std::enable_if_t<IsTfliteInterpreter<T>::value>;
template <class Pointer>
using Pointee = std::remove_reference_t<decltype(*std::declval<const Pointer&>())>;

}  // namespace detail

/// Used by Frame::start() and stop().
template <class Interpreter, class = detail::IfTflite<Interpreter>>
Status log_inputs(const Frame& frame, Interpreter& interpreter) noexcept {
  return detail::log_tflite(frame, interpreter, interpreter.inputs(), Stage::model_input);
}
template <class Interpreter, class = detail::IfTflite<Interpreter>>
Status log_outputs(const Frame& frame, Interpreter& interpreter) noexcept {
  return detail::log_tflite(frame, interpreter, interpreter.outputs(), Stage::model_output);
}
template <class Pointer, class Interpreter = detail::Pointee<Pointer>,
          class = detail::IfTflite<Interpreter>>
Status log_inputs(const Frame& frame, const Pointer& interpreter) noexcept {
  return log_inputs(frame, *interpreter);
}
template <class Pointer, class Interpreter = detail::Pointee<Pointer>,
          class = detail::IfTflite<Interpreter>>
Status log_outputs(const Frame& frame, const Pointer& interpreter) noexcept {
  return log_outputs(frame, *interpreter);
}
#ifdef EDGEPROBE_TFLITE_HAS_C_API
inline Status log_inputs(const Frame& frame, const TfLiteInterpreter* interpreter) noexcept {
  const edgeprobe_tflite_api api = edgeprobe_tflite_linked();
  return status(edgeprobe_tflite_inputs_with(frame.handle(), &api, interpreter));
}
inline Status log_outputs(const Frame& frame, const TfLiteInterpreter* interpreter) noexcept {
  const edgeprobe_tflite_api api = edgeprobe_tflite_linked();
  return status(edgeprobe_tflite_outputs_with(frame.handle(), &api, interpreter));
}
/// For a library loaded at run time: frame.start(interpreter, api).
inline Status log_inputs(const Frame& frame, const TfLiteInterpreter* interpreter,
                         const edgeprobe_tflite_api& api) noexcept {
  return status(edgeprobe_tflite_inputs_with(frame.handle(), &api, interpreter));
}
inline Status log_outputs(const Frame& frame, const TfLiteInterpreter* interpreter,
                          const edgeprobe_tflite_api& api) noexcept {
  return status(edgeprobe_tflite_outputs_with(frame.handle(), &api, interpreter));
}
#endif

}  // namespace v1
}  // namespace edgeprobe
