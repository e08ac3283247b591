// SPDX-License-Identifier: Apache-2.0
#include "diagnose/recorded_boxes.h"

#include <algorithm>
#include <map>
#include <optional>

#include "diagnose/replay/counterfactual.h"
#include "pipeline/inputs/picture.h"
#include "trace/read/answers.h"

namespace edgeprobe::diagnose {
namespace {

using postprocess::detection::Scale;
using postprocess::detection::Size;

// Outputs beyond it are no detector's, and are not kept in memory.
constexpr std::size_t kMostOutputBytes = std::size_t{64} << 20;

// Of an input [1, height, width, channels] or [1, channels, height, width].
std::optional<Size> input_size(const Shape& shape) {
  if (shape.size() != 4) return std::nullopt;
  const bool is_nchw = shape[3] > 4 && shape[1] <= 4;
  const auto height = shape[is_nchw ? 2 : 1], width = shape[is_nchw ? 3 : 2];
  if (height <= 0 || width <= 0) return std::nullopt;
  return Size{static_cast<double>(width), static_cast<double>(height)};
}

Result<std::optional<std::vector<Tensor>>> outputs_at(const trace::Reader& reader,
                                                      std::uint32_t frame) {
  std::vector<Tensor> outputs;
  std::size_t bytes = 0;
  for (const trace::ReadChannel* channel : output_channels(reader)) {
    auto read = reader.read(frame, channel->id);
    if (!read) return std::move(read.error());
    if (!*read) return std::optional<std::vector<Tensor>>();
    bytes += (*read)->bytes.size;
    if (bytes > kMostOutputBytes) return std::optional<std::vector<Tensor>>();
    outputs.push_back({*(*read)->spec, (*read)->bytes.copy()});
  }
  if (outputs.empty()) return std::optional<std::vector<Tensor>>();
  return std::optional(std::move(outputs));
}

// Size of the picture that the recipe gets, upright where it turns by what the file says.
std::optional<Size> picture_size(const Case& known, std::size_t sample) {
  auto loaded = known.raw->samples[sample].load();
  if (!loaded) return std::nullopt;
  const dataset::Picture* const picture = dataset::picture_of(loaded->input);
  if (!picture) return std::nullopt;
  const auto image = pipeline::picture_for(known.reference_pipeline->recipe, *picture);
  if (!image) return std::nullopt;
  return Size{static_cast<double>(image->width), static_cast<double>(image->height)};
}

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
