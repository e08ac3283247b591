// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/boxes/wording.h"

#include <string_view>

namespace edgeprobe::diagnose::boxes {
namespace {

// Steps of a recipe that hold a parameter, the one that is told first.
std::vector<std::string_view> steps_of(std::uint32_t parameter) {
  switch (parameter) {
    case kOutputs: return {"outputs"};
    case kReading:
    case kScalesExchanged: return {"dequantize", "codes"};
    case kCodeOrder:
    case kCoder:
    case kVariances:
    case kCorner:
    case kWalk: return {"decode", "detections"};
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

// "nms(0.5, per_class)"; "" when the recipe has no such step.
std::string step_text(const std::string& recipe, std::string_view name) {
  for (std::size_t begin = 0; begin < recipe.size();) {
    const std::size_t end = std::min(recipe.find(" | ", begin), recipe.size());
    const std::string step = recipe.substr(begin, end - begin);
    if (step.substr(0, step.find('(')) == name) return step;
    begin = end + 3;
  }
  return "";
}

}  // namespace

std::string words(const Change& change, const Recipe& reference) {
  const std::string recipe = postprocess::detection::to_text(reference);
  for (const std::string_view name : steps_of(change.sets))
    if (const std::string step = step_text(recipe, name); !step.empty())
      return "the app " + change.words + "; the reference's recipe has " + step;
  return "the app " + change.words + "; the reference does not";
}

}  // namespace edgeprobe::diagnose::boxes
