// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"
#include "preprocess/decode/image.h"

namespace edgeprobe::report {

/// Both sides' model input of one sample, of one size.
struct InputPair {
  const diagnose::Picture *target = nullptr, *reference = nullptr;
  double rms = 0;  ///< Of their difference, in gray levels.
};

/// Gray levels (RMS) from which on two inputs are not one picture from two decoders.
inline constexpr double kVisibleDifference = 0.5;

/// All pairs that a verdict shows, in its order.
std::vector<InputPair> input_pairs(const diagnose::Verdict& verdict);
/// The one that differs most; nothing where no pair differs.
std::optional<InputPair> farthest_pair(const diagnose::Verdict& verdict);

/// A picture in a frame with a caption; `title` and `note` are escaped.
std::string picture_figure(const preprocess::Image& image, const std::string& title,
                           const std::string& note = "");

/// Where the two differ and by how much, as colours on a scale from black.
std::string heat_figure(const InputPair& pair);
/// How often which value of the reference became which value of the app, over all pairs, with the
/// median of each channel.
std::string curve_figure(const std::vector<InputPair>& pairs);

}  // namespace edgeprobe::report
