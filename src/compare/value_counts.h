// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compare/metrics/kind_counts.h"
#include "core/control.h"
#include "core/result.h"
#include "core/tensor.h"
#include "trace/read/reader.h"

namespace edgeprobe::compare {

/// KindCounts with zeros and the range.
struct ValueCounts : KindCounts {
  std::uint64_t zeros = 0;
  /// Smallest and largest finite value, dequantised; unset if there are none.
  std::optional<double> least, most;

  /// Fails like to_float().
  Status add(const TensorView& tensor);
};

/// Counts over all frames, by channel of the reader; nothing for channels without plain numbers
/// (camera frames, pictures as files). kInterrupted if stopped, kCorrupt if a frame cannot be read.
Result<std::vector<std::optional<ValueCounts>>> value_counts(const trace::Reader& reader,
                                                             const Control& control);

}  // namespace edgeprobe::compare
