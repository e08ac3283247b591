// SPDX-License-Identifier: Apache-2.0
#include "diagnose/answers/recorded_boxes.h"

#include <algorithm>
#include <map>
#include <optional>

#include "diagnose/answers/recorded_places.h"
#include "trace/read/answers.h"

namespace edgeprobe::diagnose {
namespace {

using postprocess::detection::Scale;
using postprocess::detection::Size;

bool needs_picture(const postprocess::detection::Recipe& recipe) {
  return recipe.placement.scale != Scale::kShares && recipe.placement.scale != Scale::kModelPixels;
}

Status load_for(const Case& known, RecordedBoxes& out) {
  const std::size_t boxes = out.recipe.outputs.boxes;
  const std::vector<Tensor>& outputs = out.frames.front().outputs;
  if (boxes >= outputs.size()) return {};  // The search words it.
  const Shape& shape = outputs[boxes].spec.shape;
  std::size_t count = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) count *= static_cast<std::size_t>(shape[i]);
  const auto size = input_size(known.reference_pipeline->input().shape);
  if (!size)
    return Error{ErrorKind::kUsage,
                 "the model's input has no height and width, so its boxes have "
                 "no place in a picture"};
  out.model = *size;
  return postprocess::detection::load_anchors(out.recipe, static_cast<int>(size->width),
                                              static_cast<int>(size->height), count);
}

}  // namespace

Result<std::optional<postprocess::detection::Recipe>> box_recipe(const Case& known) {
  using Found = std::optional<postprocess::detection::Recipe>;
  if (!known.reference_pipeline) return Found();
  const std::string& text = known.reference_pipeline->recipe.post;
  if (!postprocess::detection::is_detection(text)) return Found();
  auto recipe = postprocess::detection::parse(text);
  if (!recipe) return std::move(recipe.error());
  if (auto loaded = postprocess::detection::load_labels(*recipe); !loaded)
    return std::move(loaded.error());
  return Found(*std::move(recipe));
}

Result<RecordedBoxes> recorded_boxes(const Case& known,
                                     const postprocess::detection::Recipe& recipe,
                                     std::optional<std::uint32_t> one) {
  RecordedBoxes out;
  out.recipe = recipe;
  const trace::Reader& target = *known.target;
  std::map<std::uint32_t, std::size_t> samples;
  if (known.raw)
    for (std::size_t i = 0; i < known.raw->frames.size(); ++i) samples[known.raw->frames[i]] = i;
  std::size_t with_boxes = 0, with_outputs = 0;
  const std::vector<std::uint32_t> frames =
      one ? std::vector<std::uint32_t>{*one}
          : std::vector<std::uint32_t>(target.frames().begin(), target.frames().end());
  const std::size_t step =
      std::max<std::size_t>(1, frames.size() / std::max<std::size_t>(known.max_replay, 1));
  for (std::size_t i = 0; i < frames.size(); i += step) {
    auto answer = trace::answer_of(target, frames[i]);
    if (!answer) return std::move(answer.error());
    if (!*answer) continue;
    ++out.answers;
    if (!(*answer)->boxes) continue;
    ++with_boxes;
    auto outputs = outputs_at(target, frames[i]);
    if (!outputs) return std::move(outputs.error());
    if (!*outputs) continue;
    ++with_outputs;
    std::optional<Size> size;
    if (const auto sample = samples.find(frames[i]); sample != samples.end())
      size = picture_size(known, sample->second);
    if (!size && needs_picture(out.recipe)) continue;
    out.frames.push_back(
        {frames[i], **std::move(outputs), **std::move(answer), size.value_or(Size{1, 1})});
  }
  if (!out.frames.empty()) {
    if (const auto loaded = load_for(known, out); !loaded) out.why_not = loaded.error().what;
  } else if (with_boxes == 0) {
    out.why_not = "no answer has boxes";
  } else if (with_outputs == 0) {
    out.why_not = "no frame with boxes has all of the model's outputs";
  } else {
    out.why_not =
        "the size of the pictures is not known, which the boxes are in pixels of: record "
        "the raw input, or give --data DIR";
  }
  return out;
}

}  // namespace edgeprobe::diagnose
