// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/boxes/wording.h"

#include <string_view>
#include <vector>

#include "search/words.h"

namespace edgeprobe::diagnose::boxes {
namespace {

// Recipe steps that can hold a parameter, the preferred one first.
std::vector<std::string_view> steps_of(std::uint32_t parameter) {
  switch (parameter) {
    case kOutputs: return {"outputs"};
    case kReading:
    case kScalesExchanged: return {"dequantize", "codes"};
    case kCodeOrder:
    case kCoder:
    case kVariances:
    case kCorner:
    case kWalk:
    case kHead:
    case kObjectness:
    case kBins:
    case kUnit: return {"decode", "detections"};
    case kPointOrder:
    case kPointShown:
    case kPointAnchor: return {"keypoints"};
    case kAngle: return {"angle"};
    case kActivation: return {"sigmoid", "softmax"};
    case kSkip: return {"skip"};
    case kBestClass: return {"best_class"};
    case kThreshold: return {"threshold"};
    case kRivals:
    case kLimit:
    case kSorted: return {"nms"};
    case kMost: return {"topk"};
    case kShift:
    case kTable: return {"labels"};
    case kPercent: return {"percent"};
    default: return {"boxes"};
  }
}

}  // namespace

std::string words(const Change& change, const Recipe& reference) {
  return search::difference_words(change.words, steps_of(change.sets),
                                  postprocess::detection::to_text(reference));
}

}  // namespace edgeprobe::diagnose::boxes
