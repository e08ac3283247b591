// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::engine::kenning {

/// How values travel to a server.
enum class Travel {
  kAsTheyAre,
  /// As float32, real values: the server quantises inputs and dequantises outputs.
  kAsFloats,
};

/// The payload of DATA, one tensor behind the other. Codes become real values that give the same
/// codes whether the server rounds or cuts off. kUnsupported for what cannot travel as floats:
/// other dtypes than float32, int8, uint8 and int16, and integers without one scale.
Result<Bytes> join(const std::vector<TensorView>& inputs, Travel travel);

/// The tensors in a payload of OUTPUT; codes that travelled as floats are codes again. One open
/// dimension follows from the size; further ones are 1. kTarget for another size.
Result<std::vector<Tensor>> split(ByteView payload, const std::vector<TensorSpec>& specs,
                                  Travel travel);

/// kUnsupported as of join(), before anything is sent.
Status check_travel(const std::vector<TensorSpec>& specs, Travel travel);

}  // namespace edgeprobe::engine::kenning
