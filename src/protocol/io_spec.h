// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace edgeprobe::protocol {

/// An input or output as described by a client.
struct IoTensor {
  TensorSpec spec;
  /// Type of the values in transit; the server quantises and dequantises them.
  std::optional<DType> prequantized;
};

/// The payload of IO_SPEC: the tensors in DATA and OUTPUT, in this order.
struct IoSpec {
  std::vector<IoTensor> inputs, outputs;
  std::string entry;  ///< Function of a compiled model; only on serial lines.
  std::string model;  ///< Name of the model; only on serial lines.
};

/// Reads the keys `name`, `shape`, `dtype`, `scale`, `zero_point` and `prequantized_dtype`; the
/// others concern the client. kCorrupt with the place of the error. The list of quantisation
/// details from a client of 2022 becomes an IoSpec without tensors.
Result<IoSpec> io_spec_from_json(std::string_view text);
std::string to_json(const IoSpec& spec);

}  // namespace edgeprobe::protocol
