// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace edgeprobe::protocol {

/// An input or output as a client describes it.
struct IoTensor {
  TensorSpec spec;
  /// The values travel in this type, and the server quantises and dequantises them.
  std::optional<DType> prequantized;
};

/// The payload of IO_SPEC: what DATA and OUTPUT hold, in this order.
struct IoSpec {
  std::vector<IoTensor> inputs, outputs;
  std::string entry;  ///< Function of a compiled model; serial lines alone.
  std::string model;  ///< Its name; serial lines alone.
};

/// Of the keys, `name`, `shape`, `dtype`, `scale`, `zero_point` and `prequantized_dtype` are read;
/// the others concern the client. kCorrupt with the place of what is wrong. The list of
/// quantisation details that a client of 2022 sends is an IoSpec without tensors.
Result<IoSpec> io_spec_from_json(std::string_view text);
std::string to_json(const IoSpec& spec);

}  // namespace edgeprobe::protocol
