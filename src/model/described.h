// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/bytes.h"

namespace edgeprobe::model {

/// (x - mean) / std, for all channels or per channel.
struct Normalization {
  std::vector<double> mean, std;
};

/// Normalization of the first input from the metadata of a .tflite file (NormalizationOptions of
/// the metadata schema); nothing for other files, without such an entry, and for a damaged one.
std::optional<Normalization> described_normalization(ByteView file);

}  // namespace edgeprobe::model
