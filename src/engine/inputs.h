// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "engine/engine.h"

namespace edgeprobe::engine {

/// Largest size of one input or output in bytes; beyond it, a wrong shape is more likely than a
/// real model.
inline constexpr std::size_t kTensorLimit = std::size_t{1} << 31;

/// kUsage unless the inputs match `specs` exactly (count, dtype, shape, bytes).
Status check_inputs(const std::vector<TensorSpec>& specs, const std::vector<TensorView>& inputs);

/// kUsage unless the places match `specs` exactly (count, bytes), or if a shape is open; `role` is
/// "input" or "output".
Status check_places(const std::vector<TensorSpec>& specs, const std::vector<Place>& places,
                    const char* role);

/// True if writing one of `outputs` would change another place.
bool overlap(const std::vector<Place>& inputs, const std::vector<Place>& outputs);

/// The shape requested for each input of `specs` (its own by default). kUsage for an unknown input
/// name or a dimension below 1; kLimit beyond kTensorLimit.
Result<std::vector<Shape>> requested_shapes(const std::vector<TensorSpec>& specs,
                                            const std::map<std::string, Shape>& asked);

/// A runtime's message lines as one sentence: joined, sanitized, shortened.
std::string one_sentence(std::string_view lines, std::size_t longest = 400);

}  // namespace edgeprobe::engine
