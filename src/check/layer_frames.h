// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace edgeprobe::check {

/// Number of frames whose layers a check captures: as many as the analysis of layers reads
/// (layers::Deployment::most_frames).
inline constexpr std::size_t kLayerFrames = 16;

/// The frames among `all` whose layers are captured, in the same order: one drawn from each of
/// kLayerFrames equal parts, with a fixed seed. A fault in a share p of the frames, in whatever
/// order they are, is in none of them with a probability of at most (1 - p)^kLayerFrames. Nothing
/// if there are no more frames than that.
std::optional<std::vector<std::uint32_t>> layer_frames(const std::vector<std::uint32_t>& all);

}  // namespace edgeprobe::check
