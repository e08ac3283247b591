// SPDX-License-Identifier: Apache-2.0
#include "diagnose/answers/recorded_places.h"

#include <algorithm>
#include <map>

#include "diagnose/replay/counterfactual.h"
#include "pipeline/inputs/picture.h"
#include "trace/read/answers.h"

namespace edgeprobe::diagnose {
namespace {

using postprocess::detection::Size;

// Outputs beyond it are not kept in memory.
constexpr std::size_t kMostOutputBytes = std::size_t{64} << 20;

}  // namespace

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

std::optional<Size> picture_size(const Case& known, std::size_t sample) {
  auto loaded = known.raw->samples[sample].load();
  if (!loaded) return std::nullopt;
  const dataset::Picture* const picture = dataset::picture_of(loaded->input);
  if (!picture) return std::nullopt;
  const auto image = pipeline::picture_for(known.reference_pipeline->recipe, *picture);
  if (!image) return std::nullopt;
  return Size{static_cast<double>(image->width), static_cast<double>(image->height)};
}

Result<RecordedPlaces> recorded_places(const Case& known, const WantedPlaces& wanted) {
  RecordedPlaces out;
  const trace::Reader& target = *known.target;
  std::map<std::uint32_t, std::size_t> samples;
  if (known.raw)
    for (std::size_t i = 0; i < known.raw->frames.size(); ++i) samples[known.raw->frames[i]] = i;
  const auto model = input_size(known.reference_pipeline->input().shape);
  if (model) out.model = *model;
  std::size_t with_places = 0, with_outputs = 0;
  const std::size_t most = std::max<std::size_t>(1, std::min(known.max_replay, wanted.most));
  const std::vector<std::uint32_t> frames =
      wanted.one ? std::vector<std::uint32_t>{*wanted.one}
                 : std::vector<std::uint32_t>(target.frames().begin(), target.frames().end());
  const std::size_t count = frames.size();
  const std::size_t step = std::max<std::size_t>(1, (count + most - 1) / most);
  for (std::size_t i = 0; i < count; i += step) {
    const std::uint32_t frame = frames[i];
    auto answer = trace::answer_of(target, frame);
    if (!answer) return std::move(answer.error());
    if (!*answer) continue;
    ++out.answers;
    if (!wanted.is_wanted(**answer)) continue;
    ++with_places;
    auto outputs = outputs_at(target, frame);
    if (!outputs) return std::move(outputs.error());
    if (!*outputs) continue;
    ++with_outputs;
    std::optional<Size> size;
    if (const auto sample = samples.find(frame); sample != samples.end())
      size = picture_size(known, sample->second);
    if (!size && wanted.needs_picture) continue;
    out.frames.push_back(
        {frame, **std::move(outputs), **std::move(answer), size.value_or(Size{1, 1})});
  }
  const std::string name = wanted.name;
  if (!model) out.why_not = "the model's input has no height and width";
  else if (!out.frames.empty()) return out;
  else if (with_places == 0) out.why_not = "no answer has " + name;
  else if (with_outputs == 0) out.why_not = "no frame with " + name + " has the model's outputs";
  else
    out.why_not = "the size of the pictures is not known, which " + name +
                  " depends on: record the raw input, or give --data DIR";
  return out;
}

}  // namespace edgeprobe::diagnose
