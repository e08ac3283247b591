// SPDX-License-Identifier: Apache-2.0
#include "pipeline/recipe_answers.h"

#include <utility>

#include "postprocess/anomaly/score.h"
#include "postprocess/classify.h"
#include "postprocess/detection/candidates.h"
#include "postprocess/embedding/vector.h"
#include "postprocess/segmentation/mask.h"
#include "postprocess/transcript/decode.h"

namespace edgeprobe::pipeline {
namespace {

namespace detection = postprocess::detection;
namespace pose = postprocess::pose;
namespace segmentation = postprocess::segmentation;

/// Picture size of a model input, [1, H, W, C] or [1, C, H, W].
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

/// One frame, in the form that the steps of each kind take.
struct AnsweredOutputs {
  const dataset::RawInput& raw;
  const TensorSpec& input;
  const std::vector<TensorView>&inputs, &outputs;

  Result<trace::Answer> operator()(const postprocess::Classification& recipe) const {
    return postprocess::run(recipe, outputs);
  }
  Result<trace::Answer> operator()(detection::Recipe& recipe) const {
    return placed([&](detection::Size picture, detection::Size model) -> Result<trace::Answer> {
      if (!recipe.anchors.source.empty() && !recipe.anchors.list) {
        EP_TRY(const auto boxes, detection::boxes_in(recipe, outputs, model));
        EP_CHECK(detection::load_anchors(recipe, static_cast<int>(model.width),
                                         static_cast<int>(model.height), boxes));
      }
      return detection::run(recipe, outputs, picture, model);
    });
  }
  Result<trace::Answer> operator()(const segmentation::Recipe& recipe) const {
    return placed([&](detection::Size picture, detection::Size model) {
      return segmentation::run(recipe, outputs, picture, model);
    });
  }
  Result<trace::Answer> operator()(const pose::Recipe& recipe) const {
    return placed([&](detection::Size picture, detection::Size model) {
      return pose::run(recipe, outputs, picture, model);
    });
  }
  Result<trace::Answer> operator()(const postprocess::embedding::Recipe& recipe) const {
    return postprocess::embedding::run(recipe, inputs, outputs);
  }
  Result<trace::Answer> operator()(const postprocess::anomaly::Recipe& recipe) const {
    return postprocess::anomaly::run(recipe, inputs, outputs);
  }
  Result<trace::Answer> operator()(const postprocess::transcript::Recipe& recipe) const {
    return postprocess::transcript::run(recipe, outputs);
  }

 private:
  /// For answers with positions in a picture.
  template <class Run>
  Result<trace::Answer> placed(Run run) const {
    const auto model = picture_size(input), picture = recorded_size(raw);
    if (!model) return model.error();
    if (!picture) return picture.error();
    return run(*picture, *model);
  }
};

}  // namespace

Result<AnswerSteps> AnswerSteps::load(const std::string& post, TensorSpec input) {
  EP_TRY(auto steps, kinds::parse_answer(post));
  EP_CHECK(kinds::load_tables(steps));
  return AnswerSteps(std::move(steps), std::move(input));
}

Result<trace::Answer> AnswerSteps::answer(const dataset::RawInput& raw,
                                          const std::vector<Tensor>& inputs,
                                          const std::vector<Tensor>& outputs) {
  const std::vector<TensorView> given(inputs.begin(), inputs.end());
  const std::vector<TensorView> views(outputs.begin(), outputs.end());
  return std::visit(AnsweredOutputs{raw, input_, given, views}, steps_);
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
