// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

/// What a user changes so that a re-quantised model is right: which samples calibrate it, which
/// layers it keeps in floating point.
namespace edgeprobe::fix {

/// Smallest and largest value of one tensor in one sample.
struct Range {
  float low = 0, high = 0;
};

/// At most `most` samples, ascending, that together reach what all samples reach: first those that
/// widen the ranges most, until each range is covered, then others evenly spread. `ranges` of each
/// sample hold one range a tensor, equally many.
std::vector<std::size_t> covering_samples(const std::vector<std::vector<Range>>& ranges,
                                          std::size_t most);

/// Indices of samples.
struct Split {
  std::vector<std::size_t> used, held_out;
};
/// Samples that calibrate and choose layers, and every fourth, which only judges what was made.
/// With fewer than 40 none is held out: too few would be left on either side.
Split split_samples(std::size_t all);

}  // namespace edgeprobe::fix
