// SPDX-License-Identifier: Apache-2.0
#include "diagnose/recorded/places.h"

#include <algorithm>

#include "postprocess/detection/candidates.h"

namespace edgeprobe::diagnose {
namespace {

namespace detection = postprocess::detection;

std::string why_not_placed(const AnswerCounts& counts, const std::string& name) {
  if (counts.wanted == 0) return "no answer has " + name;
  if (counts.with_outputs == 0) return "no frame with " + name + " has the model's outputs";
  return "the size of the pictures is not known, which " + name +
         " depends on: record the raw input, or give --data DIR";
}

std::string why_no_boxes(const AnswerCounts& counts) {
  if (counts.wanted == 0) return "no answer has boxes";
  if (counts.with_outputs == 0) return "no frame with boxes has all of the model's outputs";
  return "the size of the pictures is not known, which the boxes are in pixels of: record the raw "
         "input, or give --data DIR";
}

Status load_anchors(const Case& known, RecordedBoxes& out) {
  const auto size = input_size(known.reference_pipeline->input().shape);
  if (!size)
    return Error{ErrorKind::kUsage,
                 "the model's input has no height and width, so its boxes have "
                 "no place in a picture"};
  out.model = *size;
  const std::vector<Tensor>& outputs = out.frames.front().outputs;
  EP_TRY(const auto boxes,
         detection::boxes_in(out.recipe, std::vector<TensorView>(outputs.begin(), outputs.end()),
                             *size));
  return detection::load_anchors(out.recipe, static_cast<int>(size->width),
                                 static_cast<int>(size->height), boxes);
}

}  // namespace

Result<RecordedPlaces> recorded_places(const Case& known, const WantedPlaces& wanted) {
  const kinds::AnswerKind& kind = kinds::kind_of(wanted.id);
  const std::size_t most = std::max<std::size_t>(1, std::min(known.max_replay, wanted.most)),
                    count = wanted.one ? 1 : known.target->frames().size();
  const std::size_t step = std::max<std::size_t>(1, (count + most - 1) / most);
  EP_TRY(auto read, placed_answers<places::Frame>(known, {wanted.id, step, outputs_at, wanted.one},
                                                  wanted.needs_picture));
  const auto model = input_size(known.reference_pipeline->input().shape);
  RecordedPlaces out;
  out.frames = std::move(read.frames);
  out.answers = read.counts.answers;
  if (model) out.model = *model;
  if (!model) out.why_not = "the model's input has no height and width";
  else if (out.frames.empty()) out.why_not = why_not_placed(read.counts, kind.name);
  return out;
}

Result<RecordedBoxes> recorded_boxes(const Case& known, const detection::Recipe& recipe,
                                     std::optional<std::uint32_t> one) {
  const auto scale = recipe.placement.scale;
  const bool needs_picture =
      scale != detection::Scale::kShares && scale != detection::Scale::kModelPixels;
  const std::size_t count = one ? 1 : known.target->frames().size();
  const std::size_t step =
      std::max<std::size_t>(1, count / std::max<std::size_t>(known.max_replay, 1));
  EP_TRY(auto read, placed_answers<boxes::RecordedFrame>(
                        known, {kinds::AnswerId::kBoxes, step, outputs_at, one}, needs_picture));
  RecordedBoxes out;
  out.recipe = recipe;
  out.frames = std::move(read.frames);
  out.answers = read.counts.answers;
  if (out.frames.empty()) out.why_not = why_no_boxes(read.counts);
  else if (const auto loaded = load_anchors(known, out); !loaded) out.why_not = loaded.error().what;
  return out;
}

}  // namespace edgeprobe::diagnose
