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

/// The half of a recipe after the model, with the files that it loads.
class AnswerSteps {
 public:
  /// `post`: the text after "||"; `input`: the model's input. Fails if the text or a file that it
  /// names cannot be read.
  static Result<AnswerSteps> load(const std::string& post, TensorSpec input);

  /// Applies the steps to one frame.
  Result<trace::Answer> answer(const dataset::RawInput& raw, const std::vector<Tensor>& inputs,
                               const std::vector<Tensor>& outputs);

 private:
  AnswerSteps(kinds::AnswerRecipe steps, TensorSpec input)
      : input_(std::move(input)), steps_(std::move(steps)) {}

  TensorSpec input_;
  kinds::AnswerRecipe steps_;
};

/// Writes the answers of these steps to a channel of the trace. If they fail, the recording
/// continues without answers and adds the reason as a warning.
class RecipeAnswers {
 public:
  /// Parameters as in AnswerSteps::load(). Writer and warnings must outlive this.
  RecipeAnswers(const std::string& post, TensorSpec input, trace::Writer& writer,
                std::vector<std::string>& warnings);

  /// Fails if the trace cannot be written.
  Status write(const dataset::RawInput& raw, const std::vector<Tensor>& inputs,
               const std::vector<Tensor>& outputs, std::uint32_t frame, std::uint64_t time_ns);

 private:
  void stop(const std::string& from, const Error& why);

  trace::Writer& writer_;
  std::vector<std::string>& warnings_;
  std::optional<AnswerSteps> steps_;  ///< Empty: no more answers are written.
  std::optional<trace::ChannelId> channel_;
};

}  // namespace edgeprobe::pipeline
