// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor.h"
#include "postprocess/detection/recipe.h"
#include "search/finding.h"
#include "trace/answer.h"

/// Searches for faults of detector post-processing in outputs and boxes that the target recorded.
namespace edgeprobe::diagnose::boxes {

using postprocess::detection::Recipe;
using postprocess::detection::Size;
using Change = search::Change<Recipe>;
using search::SearchStatus;

/// One frame of the target.
struct RecordedFrame {
  std::uint32_t number = 0;
  std::vector<Tensor> outputs;  ///< In the order of the model's outputs.
  trace::Answer answer;
  Size picture;  ///< Size of the raw input in pixels; 0 x 0: not recorded.
};

/// Parameters of a recipe. Each change sets one of them; an explanation sets none twice.
enum Parameter : std::uint32_t {
  kOutputs = 1U << 0,
  kReading = 1U << 1,
  kScalesExchanged = 1U << 2,
  kCodeOrder = 1U << 3,
  kCoder = 1U << 4,
  kVariances = 1U << 5,
  kCorner = 1U << 6,
  kWalk = 1U << 7,
  kActivation = 1U << 8,
  kSkip = 1U << 9,
  kBestClass = 1U << 10,
  kThreshold = 1U << 11,
  kRivals = 1U << 12,
  kLimit = 1U << 13,
  kSorted = 1U << 14,
  kMost = 1U << 15,
  kShift = 1U << 16,
  kTable = 1U << 17,
  kPercent = 1U << 18,
  kScale = 1U << 19,
  kMirror = 1U << 20,
  kCut = 1U << 21,
  kReport = 1U << 22,
  kHead = 1U << 23,
  kObjectness = 1U << 24,
  kUnit = 1U << 25,
  kPointPlace = 1U << 26,
  kPointOrder = 1U << 27,
  kPointShown = 1U << 28,
  kPointAnchor = 1U << 29,
  kAngle = 1U << 30,
  kBins = 1U << 31,
};

}  // namespace edgeprobe::diagnose::boxes
