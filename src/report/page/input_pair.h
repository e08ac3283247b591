// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"
#include "preprocess/decode/image.h"

namespace edgeprobe::report {

/// Model inputs of both sides for one sample, of equal size.
struct InputPair {
  const diagnose::Picture *target = nullptr, *reference = nullptr;
  double rms = 0;  ///< RMS of their difference, in gray levels.
};

/// Gray levels (RMS) from which two inputs cannot be one picture from two decoders.
inline constexpr double kVisibleDifference = 0.5;

/// All pairs in a verdict, in its order.
std::vector<InputPair> input_pairs(const diagnose::Verdict& verdict);
/// The pair that differs most; empty if no pair differs.
std::optional<InputPair> farthest_pair(const diagnose::Verdict& verdict);

/// A picture in a frame with a caption; escapes `title` and `note`.
std::string picture_figure(const preprocess::Image& image, const std::string& title,
                           const std::string& note = "");

/// Positions and sizes of the differences, as colours on a scale from black.
std::string heat_figure(const InputPair& pair);
/// How often each value of the reference became each value of the app, over all pairs, with the
/// median of each channel.
std::string curve_figure(const std::vector<InputPair>& pairs);

}  // namespace edgeprobe::report
