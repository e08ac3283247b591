// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/read/reader.h"

namespace edgeprobe::diagnose {

/// Inputs or outputs of a frame in the model's order, of those channels that have a message there:
/// another shape of the same tensor has a channel of its own. Nothing when there are none, or when
/// all together have more than `most_bytes`.
Result<std::optional<std::vector<Tensor>>> recorded_tensors(const trace::Reader& reader,
                                                            trace::Stage stage, std::uint32_t frame,
                                                            std::size_t most_bytes);

}  // namespace edgeprobe::diagnose
