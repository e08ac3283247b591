// SPDX-License-Identifier: Apache-2.0
#include "pipeline/recipe_answers.h"

#include <utility>

#include "postprocess/classify.h"
#include "postprocess/detection/candidates.h"
#include "postprocess/tables.h"

namespace edgeprobe::pipeline {
namespace {

namespace detection = postprocess::detection;

Status load_labels(std::optional<postprocess::Labels>& labels) {
  postprocess::Classification holder;
  holder.labels = labels;
  if (auto loaded = postprocess::load_tables(holder); !loaded) return loaded;
  labels = std::move(holder.labels);
  return {};
}

/// Of a model input, [1, H, W, C] or [1, C, H, W].
Result<detection::Size> picture_size(const TensorSpec& input) {
  const auto is_channels = [](std::int64_t dim) { return dim == 1 || dim == 3 || dim == 4; };
  const Shape& shape = input.shape;
  if (shape.size() == 4 && is_channels(shape[3]))
    return detection::Size{static_cast<double>(shape[2]), static_cast<double>(shape[1])};
  if (shape.size() == 4 && is_channels(shape[1]))
    return detection::Size{static_cast<double>(shape[3]), static_cast<double>(shape[2])};
  return Error{ErrorKind::kUsage,
               "boxes need a model whose input is a picture, this one is " + to_text(input.shape)};
}

}  // namespace

RecipeAnswers::RecipeAnswers(const std::string& post, TensorSpec input, trace::Writer& writer,
                             std::vector<std::string>& warnings)
    : input_(std::move(input)), writer_(writer), warnings_(warnings) {
  auto steps = steps_from(post);
  if (steps) steps_ = *std::move(steps);
  else stop("no answer is recorded", steps.error());
}

Result<RecipeAnswers::Steps> RecipeAnswers::steps_from(const std::string& post) {
  if (detection::is_detection(post)) {
    auto recipe = detection::parse(post);
    if (!recipe) return std::move(recipe.error());
    if (auto loaded = load_labels(recipe->labels); !loaded) return std::move(loaded.error());
    return Steps(*std::move(recipe));
  }
  auto recipe = postprocess::parse(post);
  if (!recipe) return std::move(recipe.error());
  if (auto loaded = load_labels(recipe->labels); !loaded) return std::move(loaded.error());
  return Steps(*std::move(recipe));
}

Result<trace::Answer> RecipeAnswers::boxes(detection::Recipe& recipe, const dataset::RawInput& raw,
                                           const std::vector<TensorView>& outputs) {
  const auto model = picture_size(input_);
  if (!model) return model.error();
  const dataset::Picture* const picture = dataset::picture_of(raw);
  if (!picture)
    return Error{ErrorKind::kUsage, "boxes need a picture, and the recorded tensors have none"};
  if (!recipe.anchors.source.empty() && !recipe.anchors.list) {
    const auto codes = detection::codes_of(recipe, outputs);
    if (!codes) return codes.error();
    if (auto loaded = detection::load_anchors(recipe, static_cast<int>(model->width),
                                              static_cast<int>(model->height), codes->boxes);
        !loaded)
      return std::move(loaded.error());
  }
  return detection::run(
      recipe, outputs,
      {static_cast<double>(picture->image.width), static_cast<double>(picture->image.height)},
      *model);
}

Result<trace::Answer> RecipeAnswers::answer(const dataset::RawInput& raw,
                                            const std::vector<Tensor>& outputs) {
  const std::vector<TensorView> views(outputs.begin(), outputs.end());
  if (auto* const recipe = std::get_if<detection::Recipe>(&steps_))
    return boxes(*recipe, raw, views);
  return postprocess::run(std::get<postprocess::Classification>(steps_), views);
}

Status RecipeAnswers::write(const dataset::RawInput& raw, const std::vector<Tensor>& outputs,
                            std::uint32_t frame, std::uint64_t time_ns) {
  if (std::holds_alternative<std::monostate>(steps_)) return {};
  const auto made = answer(raw, outputs);
  if (!made) {
    stop("from frame " + std::to_string(frame) + " on no answer is recorded", made.error());
    return {};
  }
  if (!channel_) {
    trace::Channel channel;
    channel.stage = trace::Stage::kAnswer;
    channel.spec = {"answer", DType::kUInt8, {-1}, {}};
    channel.encoding = "answer";
    const auto added = writer_.add_channel(channel);
    if (!added) return added.error();
    channel_ = *added;
  }
  return writer_.write(*channel_, frame, time_ns, trace::encode(*made));
}

void RecipeAnswers::stop(const std::string& from, const Error& why) {
  steps_ = std::monostate{};
  warnings_.push_back(from + ": " + why.what);
}

}  // namespace edgeprobe::pipeline
