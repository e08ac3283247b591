// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor.h"
#include "postprocess/detection/coordinates.h"
#include "trace/answer.h"

/// What masks and key points have in common: answers with places in a picture.
namespace edgeprobe::diagnose::places {

/// One frame of the target.
struct Frame {
  std::uint32_t number = 0;
  std::vector<Tensor> outputs;  ///< One for each output of the model.
  trace::Answer answer;
  postprocess::detection::Size picture;  ///< Of what the app got, in pixels.
};

/// Pictures of shapes that the frames' have not, each in words; no larger than a screen.
std::vector<std::pair<std::string, postprocess::detection::Size>> other_pictures(
    std::span<const Frame> frames);

}  // namespace edgeprobe::diagnose::places
