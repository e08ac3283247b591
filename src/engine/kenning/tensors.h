// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::engine::kenning {

/// How values are sent to a server.
enum class Travel {
  kAsTheyAre,
  /// As real values in float32: the server quantises inputs and dequantises outputs.
  kAsFloats,
};

/// The payload of DATA, all tensors concatenated. Codes become real values that yield the same
/// codes whether the server rounds or truncates. kUnsupported for values that cannot be sent as
/// floats: dtypes other than float32, int8, uint8 and int16, and integers without a single scale.
Result<Bytes> join(const std::vector<TensorView>& inputs, Travel travel);

/// The tensors in a payload of OUTPUT; codes sent as floats become codes again. One open dimension
/// is computed from the size; further ones are 1. kTarget for a wrong size.
Result<std::vector<Tensor>> split(ByteView payload, const std::vector<TensorSpec>& specs,
                                  Travel travel);

/// kUnsupported like join(), before anything is sent.
Status check_travel(const std::vector<TensorSpec>& specs, Travel travel);

}  // namespace edgeprobe::engine::kenning
