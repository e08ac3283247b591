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
  std::size_t boxes = 0, classes = 0;  ///< `classes` includes the background.
  std::vector<float> values;           ///< boxes x classes.
};

/// `model`: the size of its input in pixels. kUsage if an output that the recipe names is missing,
/// or contains no boxes or no scores for them.
Result<Scores> scores_of(const Recipe& recipe, std::span<const TensorView> outputs, Size model);
Result<Codes> codes_of(const Recipe& recipe, std::span<const TensorView> outputs, Size model);

/// Number of boxes with scores in the outputs; anchors need not be loaded yet. kUsage as above, and
/// if the two outputs have different numbers of boxes or only one.
Result<std::size_t> boxes_in(const Recipe& recipe, std::span<const TensorView> outputs, Size model);

/// Additional outputs of a model that includes suppression.
struct Suppressed {
  std::vector<float> classes;  ///< Empty for a model without suppression.
  std::size_t count = 0;       ///< Number of valid boxes, at most those in the output.
};
Result<Suppressed> suppressed_of(const Recipe& recipe, std::span<const TensorView> outputs,
                                 Size model);

/// A box with one of its classes.
struct Candidate {
  std::size_t box = 0;
  int id = 0;
  double score = 0;
};

/// The `most` candidates with the best scores among those of at least `least`, in tensor order; NaN
/// scores are skipped.
std::vector<Candidate> best_candidates(const Recipe& recipe, const Scores& scores,
                                       const Suppressed& suppressed, double least,
                                       std::size_t most);

/// The detections above the recipe's threshold, in shares of the model's input. A score within
/// kNearScore of the threshold makes a box optional.
std::vector<Detection> detections_of(const Recipe& recipe, std::span<const Candidate> candidates,
                                     const Codes& codes, Size model);

/// The boxes of one frame as the recipe reports them; `picture` in pixels. Examines every
/// candidate.
Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> outputs, Size picture,
                          Size model);

}  // namespace edgeprobe::postprocess::detection
