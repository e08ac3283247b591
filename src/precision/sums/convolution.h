// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/sums/operation.h"

namespace edgeprobe::precision {

/// CONV_2D and DEPTHWISE_CONV_2D: channels last.
Result<Summed> conv_tflite(const Sum& work, Accumulator accumulator);
/// Conv: channels in front, one or two dimensions behind them.
Result<Summed> conv_onnx(const Sum& work, Accumulator accumulator);

}  // namespace edgeprobe::precision
