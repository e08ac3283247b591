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

/// The model tensor for a client's tensor.
struct TensorPlace {
  std::size_t index = 0;
  bool is_prequantized = false;  ///< Its IO_SPEC declares that it is sent as float32.
};

/// By name if all names are known, or else by position; without an IO_SPEC in the model's order.
/// kUsage for another number of tensors than the model has, kUnsupported for a `prequantized_dtype`
/// other than float32. `what` is "inputs" or "outputs".
Result<std::vector<TensorPlace>> places_of(const std::vector<protocol::IoTensor>& theirs,
                                           const std::vector<TensorSpec>& ours, const char* what);

/// Values of a sample that are sent as float32 although the model uses codes.
enum class Floats {
  kNone,
  kDescribed,  ///< Those declared in IO_SPEC.
  kAll,
};

/// Format of a DATA of this size: as in IO_SPEC, or else as in the model, or else all floats; empty
/// if none matches.
std::optional<Floats> floats_in(std::size_t bytes, const std::vector<TensorPlace>& inputs,
                                const std::vector<TensorPlace>& outputs,
                                const std::vector<TensorSpec>& specs);
/// True if an input or output is float32 on the wire and codes in the model.
bool travels_as_float(const TensorPlace& place, const TensorSpec& spec, Floats floats);

/// Names, shapes and types of a model's tensors, for messages.
std::string described(const std::vector<TensorSpec>& specs);

/// Bytes of a tensor; 0 if a dimension is open.
std::size_t wire_bytes(const TensorSpec& spec, bool as_float);

}  // namespace edgeprobe::serve
