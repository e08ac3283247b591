// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "core/tensor.h"
#include "trace/channel.h"
#include "trace/read/reader.h"

/// A trace's contents as a few numbers per frame: the basis for learning and judging contracts.
namespace edgeprobe::contract {

/// Mean and (population) standard deviation of one channel.
struct Moments {
  double mean = 0, std = 0;
  double least = 0, most = 0;
};

/// Figures over the finite values of one tensor in one frame, dequantised. All are 0 if there are
/// no such values.
struct TensorFigures : Moments {
  std::uint64_t values = 0, not_finite = 0;
  double sum = 0;
  int best = -1;               ///< Row-major index of the first maximum; -1: none.
  std::uint64_t digest = 0;    ///< Digest of the bytes; equal values have equal digests.
  bool probabilities = false;  ///< Result of task::are_probabilities().
  /// Moments of each channel of an input with channel_axis(); else empty.
  std::vector<Moments> channels = {};
};

/// One tensor over all frames.
struct TensorSeries {
  TensorSpec spec;  ///< Dimensions that vary between frames are -1.
  std::int32_t position = -1;
  std::map<std::uint32_t, TensorFigures> frames;
};

/// The app's recorded answer for one frame.
struct AnswerFigures {
  std::set<std::string> parts;         ///< "labels", "scores", …
  std::optional<std::uint64_t> items;  ///< Number of labels, classes, boxes or points.
  std::optional<double> score;         ///< The best score of the items, or the anomaly score.
  std::optional<double> least_score;
  std::optional<std::string> label;  ///< The first label.
  std::optional<std::int64_t> class_number;
  std::optional<bool> alarm;
};

using TensorKey = std::pair<trace::Stage, std::string>;  ///< Stage and name.

/// Prefix of variables and marks with which an app asserts something about itself.
inline constexpr std::string_view kAssertion = "assertion.";

struct TraceFigures {
  std::vector<trace::FrameRecord> records;  ///< In frame order.
  std::map<TensorKey, TensorSeries> tensors;
  /// Keyed by channel name.
  std::map<std::string, std::map<std::uint32_t, AnswerFigures>> answers;
  /// The app's logged numbers and texts, by name.
  std::map<std::string, std::map<std::uint32_t, double>> numbers;
  std::map<std::string, std::map<std::uint32_t, std::string>> texts;
  /// The app's one-time assertions by name: "holds", or the failure (marks "assertion.NAME").
  std::map<std::string, std::string> asserted;
  /// Stages with at least one message: "model_input/image", "raw_input".
  std::set<std::string> stages;
  std::map<std::string, std::string> declared, memory;  ///< As stated in the trace.

  /// The tensor of a stage with that name, or the only one if the name is empty. Null if there is
  /// none, or several.
  const TensorSeries* tensor(trace::Stage stage, const std::string& name) const;
  const trace::FrameRecord* record(std::uint32_t frame) const;
};

/// Reads every message of the model's inputs and outputs, and of layers if `with_layers`. kCorrupt
/// if the trace cannot be read, kUsage if it has no frames, kInterrupted if stopped.
Result<TraceFigures> figures_of(const trace::Reader& trace, bool with_layers,
                                const Control& control);

/// The axis with 2 to 4 channels in a picture's shape, or 2 to 16 axes in that of a window of
/// readings (the last, or the one after the batch); nothing for other shapes.
std::optional<std::size_t> channel_axis(const Shape& shape);

}  // namespace edgeprobe::contract
