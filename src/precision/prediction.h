// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "precision/sums/number_format.h"
#include "task/tasks.h"

namespace edgeprobe::precision {

/// Effect on the outputs: thresholds 0.05 and 0.25 of the logit NRMSE (layers/capture/logits.h).
enum class Level { kHolds, kMoves, kBreaks };
/// "holds", "moves", "breaks".
const char* name(Level level);

/// Outputs of the model under a scheme, over all frames.
struct Outcome {
  double logit_nrmse = 0;
  std::size_t not_finite = 0;       ///< Frames with NaN or infinity that float32 does not have.
  std::optional<double> agreement;  ///< Share of frames with the same answer as float32.
  std::optional<double> accuracy;   ///< Mean score on the annotated frames.
  Level level() const;
};

enum class Reason {
  kValue,    ///< One of its output values exceeds the scheme's range.
  kPartial,  ///< A partial sum exceeds it, not necessarily the sum itself.
  kInput,    ///< An input exceeds it: the value of another layer that is kept in float32.
  kRounding,
};
/// "value", "partial_sum", "input", "rounding".
const char* name(Reason reason);

/// A layer under a scheme, on float32 inputs, to exclude the effect of earlier layers.
struct LayerOutcome {
  std::size_t step = 0;
  double relative_error = 0;  ///< RMS error relative to the standard deviation of its output.
  /// The relative error by channel, each capped at 1: a few large channels do not hide the others.
  double channel_error = 0;
  double largest = 0;             ///< Largest finite output value.
  std::optional<double> partial;  ///< Largest partial sum; may be infinite.
  std::size_t frames = 0;         ///< Frames with values that are no longer finite.
};

/// A layer to keep in float32, with the reason.
struct Kept {
  std::size_t step = 0;
  Reason reason = Reason::kRounding;
};

/// Effect on the outputs if only one layer is under the scheme.
struct Alone {
  std::size_t step = 0;
  double logit_nrmse = 0;
};

struct Prediction {
  Scheme scheme{};
  Outcome outcome;
  std::vector<LayerOutcome> layers;  ///< One for each step.
  /// The first layer in execution order with output values that are not finite.
  std::optional<Kept> first;
  /// For kInt8, if the model breaks: the single layer with the largest effect, the first of equal
  /// ones.
  std::optional<Alone> worst;
  /// If the model breaks: a minimal set of layers to keep, and the resulting outputs. Empty if
  /// keeping half of the layers is not enough.
  std::optional<std::vector<Kept>> kept;
  Outcome with_kept;
};

/// Names of a step from the file.
struct StepName {
  std::vector<int> layers;  ///< Ascending indices of layers.
  std::string type, name;   ///< Of the first layer.
  std::string output;       ///< First stored tensor.
};

struct Predicted {
  std::string sha256;  ///< Hash of the model file.
  std::vector<StepName> steps;
  std::size_t frames = 0;
  std::size_t scored = 0;          ///< Frames with a matching annotation.
  std::optional<double> accuracy;  ///< With float32.
  std::string metric;              ///< Name of `accuracy`; "" without a task.
  std::vector<Prediction> predictions;
  std::vector<std::string> warnings;
  bool stopped = false;  ///< Stopped by the user; `predictions` holds the completed ones.
};

/// Inputs of each frame in the form of the session's inputs, with the frame's annotation.
struct Frame {
  std::vector<Tensor> inputs;
  std::optional<task::Annotation> annotation;
};

}  // namespace edgeprobe::precision
