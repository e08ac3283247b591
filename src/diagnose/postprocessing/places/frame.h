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

/// Common parts of masks and key points: answers with places in a picture.
namespace edgeprobe::diagnose::places {

/// One frame of the target.
struct Frame {
  std::uint32_t number = 0;
  std::vector<Tensor> outputs;  ///< In the order of the model's outputs.
  trace::Answer answer;
  postprocess::detection::Size picture;  ///< Size of the app's picture in pixels.
};

/// Descriptions and sizes of pictures whose shapes do not occur in the frames; no larger than a
/// screen.
std::vector<std::pair<std::string, postprocess::detection::Size>> other_pictures(
    std::span<const Frame> frames);

}  // namespace edgeprobe::diagnose::places
