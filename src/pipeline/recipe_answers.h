// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "dataset/sample.h"
#include "kinds/answer_kinds.h"
#include "trace/answer.h"
#include "trace/record/writer.h"

namespace edgeprobe::pipeline {

/// The half of a recipe behind the model, with what it loads.
class AnswerSteps {
 public:
  /// `post`: the text behind "||"; `input`: that of the model. Fails where the text or a file that
  /// it names cannot be read.
  static Result<AnswerSteps> load(const std::string& post, TensorSpec input);

  /// What the steps make of one frame.
  Result<trace::Answer> answer(const dataset::RawInput& raw, const std::vector<Tensor>& inputs,
                               const std::vector<Tensor>& outputs);

 private:
  AnswerSteps(kinds::AnswerRecipe steps, TensorSpec input)
      : input_(std::move(input)), steps_(std::move(steps)) {}

  TensorSpec input_;
  kinds::AnswerRecipe steps_;
};

/// Answers of these steps, on a channel of the trace that is written. A recording goes on without
/// them: why there are none becomes a warning.
class RecipeAnswers {
 public:
  /// As AnswerSteps::load(). Writer and warnings must outlive this.
  RecipeAnswers(const std::string& post, TensorSpec input, trace::Writer& writer,
                std::vector<std::string>& warnings);

  /// Fails where the trace cannot be written.
  Status write(const dataset::RawInput& raw, const std::vector<Tensor>& inputs,
               const std::vector<Tensor>& outputs, std::uint32_t frame, std::uint64_t time_ns);

 private:
  void stop(const std::string& from, const Error& why);

  trace::Writer& writer_;
  std::vector<std::string>& warnings_;
  std::optional<AnswerSteps> steps_;  ///< Nothing: no more answers.
  std::optional<trace::ChannelId> channel_;
};

}  // namespace edgeprobe::pipeline
