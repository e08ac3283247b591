// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "family/network.h"

namespace edgeprobe::family {

/// Values by the name of their parameter.
using Weights = std::map<std::string, std::vector<float>>;

/// Weights before training: convolutions from a normal distribution of variance 2 / (kernel² x
/// channels out), the linear layer of variance 1e-4, batch norms 1 and 0, biases 0. The same for
/// each seed.
Weights initial_weights(const Network& network, std::uint64_t seed);

/// A file in the safetensors format (Hugging Face) with float32 values
/// in the order of parameters().
std::string to_safetensors(const Network& network, const Weights& weights);

/// Values of a safetensors file for this network: float32, float16, bfloat16 or float64. kCorrupt
/// for a broken file; kUsage for one of another network, which names the first tensor that differs.
/// Tensors named num_batches_tracked are skipped.
Result<Weights> from_safetensors(const Network& network, ByteView file);

}  // namespace edgeprobe::family
