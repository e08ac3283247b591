// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

/// Choices for a re-quantised model: the samples that calibrate it, and the layers kept in floating
/// point.
namespace edgeprobe::fix {

/// Smallest and largest value of a tensor in one sample.
struct Range {
  float low = 0, high = 0;
};

/// At most `most` samples, ascending, that together cover the ranges of all samples: first those
/// that widen the ranges most, until each range is covered, then others evenly spread. `ranges` has
/// one range per tensor for each sample.
std::vector<std::size_t> covering_samples(const std::vector<std::vector<Range>>& ranges,
                                          std::size_t most);

/// Indices of samples.
struct Split {
  std::vector<std::size_t> used, held_out;
};
/// Splits samples into those that calibrate and choose layers, and every fourth one, which only
/// judges the result. With fewer than 40, none is held out: too few would remain on both sides.
Split split_samples(std::size_t all);

}  // namespace edgeprobe::fix
