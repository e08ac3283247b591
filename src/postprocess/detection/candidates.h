// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/tensor.h"
#include "postprocess/detection/codes.h"
#include "postprocess/detection/recipe.h"
#include "trace/answer.h"

namespace edgeprobe::postprocess::detection {

/// Scores of all boxes and classes, read and activated.
struct Scores {
  std::size_t boxes = 0, classes = 0;  ///< The background among the classes.
  std::vector<float> values;           ///< boxes x classes.
};

/// `model`: the size of its input in pixels. kUsage when an output that the recipe names is
/// missing, or holds no boxes or no scores for them.
Result<Scores> scores_of(const Recipe& recipe, std::span<const TensorView> outputs, Size model);
Result<Codes> codes_of(const Recipe& recipe, std::span<const TensorView> outputs, Size model);

/// How many boxes the outputs hold, each with its scores; anchors may not be loaded yet. kUsage as
/// above, and where the two outputs are of different numbers of boxes or one.
Result<std::size_t> boxes_in(const Recipe& recipe, std::span<const TensorView> outputs, Size model);

/// What a model that has suppressed already says beside its boxes.
struct Suppressed {
  std::vector<float> classes;  ///< Empty: not such a model.
  std::size_t count = 0;       ///< Boxes that count, at most those that there are.
};
Result<Suppressed> suppressed_of(const Recipe& recipe, std::span<const TensorView> outputs,
                                 Size model);

/// A box and one of its classes.
struct Candidate {
  std::size_t box = 0;
  int id = 0;
  double score = 0;
};

/// The `most` candidates with the best scores, of all whose score is at least `least`, in the order
/// of the tensor; scores that are no numbers make none.
std::vector<Candidate> best_candidates(const Recipe& recipe, const Scores& scores,
                                       const Suppressed& suppressed, double least,
                                       std::size_t most);

/// Those above the recipe's threshold, in shares of the model's input. A score within kNearScore of
/// the threshold makes a box optional.
std::vector<Detection> detections_of(const Recipe& recipe, std::span<const Candidate> candidates,
                                     const Codes& codes, Size model);

/// The boxes of one frame as the recipe reports them; `picture` in pixels. Every candidate is
/// looked at.
Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> outputs, Size picture,
                          Size model);

}  // namespace edgeprobe::postprocess::detection
