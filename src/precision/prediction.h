// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "precision/sums/number_format.h"
#include "task/tasks.h"

namespace edgeprobe::precision {

/// What becomes of the outputs: by the logit NRMSE (layers/capture/logits.h), 0.05 and 0.25.
enum class Level { kHolds, kMoves, kBreaks };
/// "holds", "moves", "breaks".
const char* name(Level level);

/// Outputs of the model under a scheme, over all frames.
struct Outcome {
  double logit_nrmse = 0;
  std::size_t not_finite = 0;       ///< Frames with NaN or infinity where float32 has none.
  std::optional<double> agreement;  ///< Share of frames with float32's answer.
  std::optional<double> accuracy;   ///< Mean score, on the frames with an annotation.
  Level level() const;
};

enum class Reason {
  kValue,    ///< A value that it makes passes what the scheme can store.
  kPartial,  ///< A partial sum does; the sum itself need not.
  kInput,    ///< A value that it reads does, as another layer kept in float32 makes it.
  kRounding,
};
/// "value", "partial_sum", "input", "rounding".
const char* name(Reason reason);

/// A layer under a scheme, on float32 inputs, so that nothing before it counts.
struct LayerOutcome {
  std::size_t step = 0;
  double relative_error = 0;  ///< RMS error over the standard deviation of its output.
  /// The same by channel, each counted at most as 1: a few large channels do not hide the others.
  double channel_error = 0;
  double largest = 0;             ///< Largest finite value that it makes.
  std::optional<double> partial;  ///< Largest partial sum; may be infinite.
  std::size_t frames = 0;         ///< With values that are no longer finite.
};

/// A layer to be kept in float32, and why.
struct Kept {
  std::size_t step = 0;
  Reason reason = Reason::kRounding;
};

/// What one layer alone under the scheme does to the outputs.
struct Alone {
  std::size_t step = 0;
  double logit_nrmse = 0;
};

struct Prediction {
  Scheme scheme{};
  Outcome outcome;
  std::vector<LayerOutcome> layers;  ///< One a step.
  /// The first layer in the order of execution that makes values which are not finite.
  std::optional<Kept> first;
  /// Of kInt8, when the model breaks: the layer that alone does most of it, the first of equals.
  std::optional<Alone> worst;
  /// When the model breaks: a set from which no layer can be left out, and the outputs with it.
  /// Nothing when keeping half of the layers is not enough.
  std::optional<std::vector<Kept>> kept;
  Outcome with_kept;
};

/// A step in the words of the file.
struct StepName {
  std::vector<int> layers;  ///< Ascending indices of layers.
  std::string type, name;   ///< Of the first.
  std::string output;       ///< First tensor that is stored.
};

struct Predicted {
  std::string sha256;  ///< Of the model file.
  std::vector<StepName> steps;
  std::size_t frames = 0;
  std::size_t scored = 0;          ///< Frames with an annotation that fits.
  std::optional<double> accuracy;  ///< Of float32.
  std::string metric;              ///< Of `accuracy`; "" without a task.
  std::vector<Prediction> predictions;
  std::vector<std::string> warnings;
  bool stopped = false;  ///< By the user; `predictions` are those that were done.
};

/// Inputs of each frame in the form of the session's inputs, and what is known of it.
struct Frame {
  std::vector<Tensor> inputs;
  std::optional<task::Annotation> annotation;
};

}  // namespace edgeprobe::precision
