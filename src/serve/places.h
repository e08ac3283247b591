// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "protocol/io_spec.h"

namespace edgeprobe::serve {

/// Which of the model's tensors a client's tensor is.
struct TensorPlace {
  std::size_t index = 0;
  bool is_prequantized = false;  ///< Its IO_SPEC says that float32 travels for it.
};

/// By name if all names are there, else by place; without an IO_SPEC in the model's order. kUsage
/// for another number of tensors than the model has, kUnsupported for a `prequantized_dtype` other
/// than float32. `what` is "inputs" or "outputs".
Result<std::vector<TensorPlace>> places_of(const std::vector<protocol::IoTensor>& theirs,
                                           const std::vector<TensorSpec>& ours, const char* what);

/// Which values of a sample travel as float32 though the model has codes.
enum class Floats {
  kNone,
  kDescribed,  ///< Those of which IO_SPEC says so.
  kAll,
};

/// What a DATA of so many bytes is: as IO_SPEC describes it, else as the model has it, else all
/// floats; nothing when it is none of them.
std::optional<Floats> floats_in(std::size_t bytes, const std::vector<TensorPlace>& inputs,
                                const std::vector<TensorPlace>& outputs,
                                const std::vector<TensorSpec>& specs);
/// Whether an input or output is float32 on the wire and codes in the model.
bool travels_as_float(const TensorPlace& place, const TensorSpec& spec, Floats floats);

/// Names, shapes and types of a model's tensors, for messages.
std::string described(const std::vector<TensorSpec>& specs);

/// Bytes of a tensor; 0 where a dimension is open.
std::size_t wire_bytes(const TensorSpec& spec, bool as_float);

}  // namespace edgeprobe::serve
