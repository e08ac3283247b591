// SPDX-License-Identifier: Apache-2.0
#include "pipeline/recipe_answers.h"

#include <utility>

#include "postprocess/anomaly/score.h"
#include "postprocess/classify.h"
#include "postprocess/detection/candidates.h"
#include "postprocess/embedding/vector.h"
#include "postprocess/segmentation/mask.h"
#include "postprocess/tables.h"

namespace edgeprobe::pipeline {
namespace {

namespace detection = postprocess::detection;
namespace pose = postprocess::pose;
namespace segmentation = postprocess::segmentation;

Status load_labels(std::optional<postprocess::Labels>& labels) {
  postprocess::Classification holder;
  holder.labels = labels;
  EP_CHECK(postprocess::load_tables(holder));
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
  return Error{ErrorKind::kUsage, "places in a picture need a model whose input is one, this is " +
                                      to_text(input.shape)};
}

Result<detection::Size> recorded_size(const dataset::RawInput& raw) {
  if (const dataset::Picture* const picture = dataset::picture_of(raw))
    return detection::Size{static_cast<double>(picture->image.width),
                           static_cast<double>(picture->image.height)};
  return Error{ErrorKind::kUsage,
               "places in a picture need one, and the recorded tensors have none"};
}

}  // namespace

Result<AnswerSteps> AnswerSteps::load(const std::string& post, TensorSpec input) {
  EP_TRY(auto steps, steps_from(post));
  return AnswerSteps(std::move(steps), std::move(input));
}

Result<AnswerSteps::Steps> AnswerSteps::steps_from(const std::string& post) {
  if (detection::is_detection(post)) {
    EP_TRY(auto recipe, detection::parse(post));
    EP_CHECK(load_labels(recipe.labels));
    return Steps(std::move(recipe));
  }
  if (segmentation::is_segmentation(post)) {
    EP_TRY(auto recipe, segmentation::parse(post));
    EP_CHECK(segmentation::load_colors(recipe));
    return Steps(std::move(recipe));
  }
  if (pose::is_pose(post)) {
    EP_TRY(auto recipe, pose::parse(post));
    EP_CHECK(pose::load_names(recipe));
    return Steps(std::move(recipe));
  }
  if (postprocess::embedding::is_embedding(post)) {
    auto recipe = postprocess::embedding::parse(post);
    return recipe ? Result<Steps>(*std::move(recipe)) : std::move(recipe.error());
  }
  if (postprocess::anomaly::is_anomaly(post)) {
    auto recipe = postprocess::anomaly::parse(post);
    return recipe ? Result<Steps>(*std::move(recipe)) : std::move(recipe.error());
  }
  EP_TRY(auto recipe, postprocess::parse(post));
  EP_CHECK(load_labels(recipe.labels));
  return Steps(std::move(recipe));
}

Result<trace::Answer> AnswerSteps::boxes(detection::Recipe& recipe,
                                         const std::vector<TensorView>& outputs,
                                         detection::Size picture, detection::Size model) {
  if (!recipe.anchors.source.empty() && !recipe.anchors.list) {
    EP_TRY(const auto codes, detection::codes_of(recipe, outputs));
    EP_CHECK(detection::load_anchors(recipe, static_cast<int>(model.width),
                                     static_cast<int>(model.height), codes.boxes));
  }
  return detection::run(recipe, outputs, picture, model);
}

Result<trace::Answer> AnswerSteps::answer(const dataset::RawInput& raw,
                                          const std::vector<Tensor>& inputs,
                                          const std::vector<Tensor>& outputs) {
  const std::vector<TensorView> given(inputs.begin(), inputs.end());
  const std::vector<TensorView> views(outputs.begin(), outputs.end());
  if (const auto* const recipe = std::get_if<postprocess::embedding::Recipe>(&steps_))
    return postprocess::embedding::run(*recipe, given, views);
  if (const auto* const recipe = std::get_if<postprocess::anomaly::Recipe>(&steps_))
    return postprocess::anomaly::run(*recipe, given, views);
  if (const auto* const recipe = std::get_if<postprocess::Classification>(&steps_))
    return postprocess::run(*recipe, views);
  EP_TRY(const auto model, picture_size(input_));
  EP_TRY(const auto picture, recorded_size(raw));
  if (auto* const recipe = std::get_if<detection::Recipe>(&steps_))
    return boxes(*recipe, views, picture, model);
  if (const auto* const recipe = std::get_if<segmentation::Recipe>(&steps_))
    return segmentation::run(*recipe, views, picture, model);
  return pose::run(std::get<pose::Recipe>(steps_), views, picture, model);
}

RecipeAnswers::RecipeAnswers(const std::string& post, TensorSpec input, trace::Writer& writer,
                             std::vector<std::string>& warnings)
    : writer_(writer), warnings_(warnings) {
  auto steps = AnswerSteps::load(post, std::move(input));
  if (steps) steps_ = *std::move(steps);
  else stop("no answer is recorded", steps.error());
}

Status RecipeAnswers::write(const dataset::RawInput& raw, const std::vector<Tensor>& inputs,
                            const std::vector<Tensor>& outputs, std::uint32_t frame,
                            std::uint64_t time_ns) {
  if (!steps_) return {};
  const auto made = steps_->answer(raw, inputs, outputs);
  if (!made) {
    stop("from frame " + std::to_string(frame) + " on no answer is recorded", made.error());
    return {};
  }
  if (!channel_) {
    trace::Channel channel;
    channel.stage = trace::Stage::kAnswer;
    channel.spec = {"answer", DType::kUInt8, {-1}, {}};
    channel.encoding = "answer";
    EP_TRY(channel_, writer_.add_channel(channel));
  }
  return writer_.write(*channel_, frame, time_ns, trace::encode(*made));
}

void RecipeAnswers::stop(const std::string& from, const Error& why) {
  steps_.reset();
  warnings_.push_back(from + ": " + why.what);
}

}  // namespace edgeprobe::pipeline
