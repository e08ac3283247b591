// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "diagnose/postprocessing/places/frame.h"
#include "postprocess/segmentation/mask.h"
#include "search/finding.h"

/// Searches for faults of segmentation post-processing in outputs and masks that the target
/// recorded.
namespace edgeprobe::diagnose::masks {

using postprocess::segmentation::Recipe;
using postprocess::segmentation::Size;
using Change = search::Change<Recipe>;
using search::SearchStatus;

using RecordedFrame = places::Frame;

/// Parameters of a recipe; a change sets one of them.
enum Parameter : std::uint32_t {
  kReading = 1U << 0,
  kActivation = 1U << 1,
  kMisreading = 1U << 2,
  kTurn = 1U << 3,
  kWhen = 1U << 4,
  kKernel = 1U << 5,
  kAlign = 1U << 6,
  kSize = 1U << 7,
  kFrame = 1U << 8,
  kShift = 1U << 9,
  kRenamed = 1U << 10,
  kThreshold = 1U << 11,
  kColors = 1U << 12,
  kThrough = 1U << 13,
};

}  // namespace edgeprobe::diagnose::masks
