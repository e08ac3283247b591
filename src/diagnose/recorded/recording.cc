// SPDX-License-Identifier: Apache-2.0
#include "diagnose/recorded/recording.h"

#include "diagnose/case/counterfactual.h"
#include "pipeline/inputs/picture.h"
#include "trace/read/answers.h"

namespace edgeprobe::diagnose {
namespace {

using postprocess::detection::Size;

// Larger outputs are not kept in memory.
constexpr std::size_t kMostOutputBytes = std::size_t{64} << 20;

Result<AnswerCounts> visited(const Case& known, const WantedAnswers& wanted,
                             const std::function<Status(AnsweredFrame)>& visit) {
  const kinds::AnswerKind& kind = kinds::kind_of(wanted.id);
  const trace::Reader& target = *known.target;
  const std::vector<std::uint32_t> frames =
      wanted.one ? std::vector<std::uint32_t>{*wanted.one}
                 : std::vector<std::uint32_t>(target.frames().begin(), target.frames().end());
  AnswerCounts counts;
  for (std::size_t i = 0; i < frames.size(); i += wanted.step) {
    EP_TRY(auto answer, trace::answer_of(target, frames[i]));
    if (!answer) continue;
    ++counts.answers;
    if (wanted.see) wanted.see(*answer);
    if (!kind.is_in(*answer)) continue;
    ++counts.wanted;
    EP_TRY(auto outputs, wanted.outputs(target, frames[i]));
    if (!outputs) continue;
    ++counts.with_outputs;
    EP_CHECK(visit({frames[i], *std::move(outputs), *std::move(answer)}));
  }
  return counts;
}

}  // namespace

Result<std::optional<kinds::AnswerRecipe>> answer_recipe(const Case& known) {
  std::optional<kinds::AnswerRecipe> recipe = known.answers;
  if (!recipe || kinds::id_of(*recipe) == kinds::AnswerId::kClasses) return recipe;
  EP_CHECK(kinds::load_tables(*recipe));
  return recipe;
}

std::optional<Size> input_size(const Shape& shape) {
  if (shape.size() != 4) return std::nullopt;
  const bool is_nchw = shape[3] > 4 && shape[1] <= 4;
  const auto height = shape[is_nchw ? 2 : 1], width = shape[is_nchw ? 3 : 2];
  if (height <= 0 || width <= 0) return std::nullopt;
  return Size{static_cast<double>(width), static_cast<double>(height)};
}

PictureSizes::PictureSizes(const Case& known) : known_(known) {
  for (std::size_t i = 0; known.raw && i < known.raw->frames.size(); ++i)
    samples_[known.raw->frames[i]] = i;
}

std::optional<Size> PictureSizes::of(std::uint32_t frame) const {
  const auto sample = samples_.find(frame);
  if (sample == samples_.end()) return std::nullopt;
  const auto loaded = known_.raw->samples[sample->second].load();
  if (!loaded) return std::nullopt;
  const dataset::Picture* const picture = dataset::picture_of(loaded->input);
  if (!picture) return std::nullopt;
  const auto image = pipeline::picture_for(known_.reference_pipeline->recipe, *picture);
  if (!image) return std::nullopt;
  return Size{static_cast<double>(image->width), static_cast<double>(image->height)};
}

Result<std::optional<std::vector<Tensor>>> outputs_at(const trace::Reader& reader,
                                                      std::uint32_t frame) {
  std::vector<Tensor> outputs;
  std::size_t bytes = 0;
  for (const trace::ReadChannel* channel : output_channels(reader)) {
    EP_TRY(auto read, reader.read(frame, channel->id));
    if (!read) continue;
    bytes += read->bytes.size;
    if (bytes > kMostOutputBytes) return std::optional<std::vector<Tensor>>();
    outputs.push_back({*read->spec, read->bytes.copy()});
  }
  if (outputs.empty() || outputs.size() < output_count(reader))
    return std::optional<std::vector<Tensor>>();
  return std::optional(std::move(outputs));
}

Result<AnswerCounts> visit_answers(const Case& known, const WantedAnswers& wanted,
                                   const std::function<Status(AnsweredFrame)>& visit) {
  auto counts = visited(known, wanted, visit);
  if (!counts)
    return std::move(counts.error())
        .during(std::string(kinds::kind_of(wanted.id).title) + " of the app");
  return counts;
}

}  // namespace edgeprobe::diagnose
