// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/read/reader.h"

namespace edgeprobe::diagnose {

/// Inputs or outputs of a frame in the model's order, from the channels with a message there (each
/// shape of a tensor has a separate channel). Nothing if there are none, or they exceed
/// `most_bytes` together.
Result<std::optional<std::vector<Tensor>>> recorded_tensors(const trace::Reader& reader,
                                                            trace::Stage stage, std::uint32_t frame,
                                                            std::size_t most_bytes);

}  // namespace edgeprobe::diagnose
