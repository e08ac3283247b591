// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "diagnose/postprocessing/places/frame.h"
#include "postprocess/pose/recipe.h"
#include "search/finding.h"

/// Searches for faults of key-point post-processing in outputs and points that the target recorded.
namespace edgeprobe::diagnose::points {

using postprocess::pose::Recipe;
using postprocess::pose::Size;
using Change = search::Change<Recipe>;
using search::SearchStatus;

using RecordedFrame = places::Frame;

/// Parameters of a recipe; a change sets one of them.
enum Parameter : std::uint32_t {
  kReading = 1U << 0,
  kActivation = 1U << 1,
  kThreshold = 1U << 2,
  kScale = 1U << 3,
  kMirror = 1U << 4,
  kCut = 1U << 5,
  kFirst = 1U << 6,
  kOrder = 1U << 7,
};

}  // namespace edgeprobe::diagnose::points
