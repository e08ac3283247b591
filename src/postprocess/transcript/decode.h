// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "postprocess/transcript/recipe.h"
#include "trace/answer.h"

namespace edgeprobe::postprocess::transcript {

/// The best class of each step, on a tie the first, and its score after the activations.
struct Path {
  std::size_t classes = 0;
  std::vector<std::size_t> best;
  std::vector<double> scores;
};

/// kUsage if the output is missing or is not one row of scores per step.
Result<Path> path_of(const Recipe& recipe, std::span<const TensorView> outputs);

/// kUsage if the classes are not those of the dictionary with the blank and the space; the text
/// names the argument that would fit.
Status check_classes(const Recipe& recipe, std::size_t classes, std::size_t steps);

struct Transcribed {
  std::string text;
  double confidence = 0;
};
/// The text of a path whose classes fit.
Transcribed transcribed(const Recipe& recipe, const Path& path);

/// The answer to one frame: its text, and one score.
Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> outputs);

}  // namespace edgeprobe::postprocess::transcript
