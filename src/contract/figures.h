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

/// What a trace holds, as few numbers a frame: what contracts are learned from and judged by.
namespace edgeprobe::contract {

/// Mean and standard deviation (of all values, n) of one channel.
struct Moments {
  double mean = 0, std = 0;
  double least = 0, most = 0;
};

/// Of the finite values of one tensor in one frame, dequantised. All 0 where there is none.
struct TensorFigures : Moments {
  std::uint64_t values = 0, not_finite = 0;
  double sum = 0;
  int best = -1;                       ///< Row-major index of the first largest value; -1: none.
  bool probabilities = false;          ///< task::are_probabilities().
  std::vector<Moments> channels = {};  ///< Of an input with 2 to 4 channels; else empty.
};

/// One tensor over the frames.
struct TensorSeries {
  TensorSpec spec;  ///< Dimensions that differ between frames are -1.
  std::int32_t position = -1;
  std::map<std::uint32_t, TensorFigures> frames;
};

/// What the app recorded as its answer to one frame.
struct AnswerFigures {
  std::set<std::string> parts;         ///< "labels", "scores", …
  std::optional<std::uint64_t> items;  ///< Labels, classes, boxes or points.
  std::optional<double> score;         ///< The best one of the items, or that of the anomaly.
  std::optional<double> least_score;
  std::optional<std::string> label;  ///< The first.
  std::optional<std::int64_t> class_number;
  std::optional<bool> alarm;
};

using TensorKey = std::pair<trace::Stage, std::string>;  ///< Stage and name.

/// Names of variables and marks by which an app asserts something of itself begin so.
inline constexpr std::string_view kAssertion = "assertion.";

struct TraceFigures {
  std::vector<trace::FrameRecord> records;  ///< In the order of the frames.
  std::map<TensorKey, TensorSeries> tensors;
  std::map<std::string, std::map<std::uint32_t, AnswerFigures>> answers;  ///< By channel name.
  /// Numbers and texts that the app logged, by name.
  std::map<std::string, std::map<std::uint32_t, double>> numbers;
  std::map<std::string, std::map<std::uint32_t, std::string>> texts;
  /// What the app asserted once, by name: "holds" or what is wrong (marks "assertion.NAME").
  std::map<std::string, std::string> asserted;
  std::set<std::string> stages;  ///< "model_input/image", "raw_input"; with at least one message.
  std::map<std::string, std::string> declared, memory;  ///< As the trace states them.

  /// The tensor of a stage, by its name, or where that is empty the only one there. Null: none, or
  /// several.
  const TensorSeries* tensor(trace::Stage stage, const std::string& name) const;
  const trace::FrameRecord* record(std::uint32_t frame) const;
};

/// Reads every message of the model's inputs and outputs, and of layers where `with_layers`.
/// kCorrupt when the trace cannot be read, kUsage when it has no frames, kInterrupted when stopped.
Result<TraceFigures> figures_of(const trace::Reader& trace, bool with_layers,
                                const Control& control);

/// The axis of 2 to 4 channels of a picture's tensor (the last, or that behind the batch); nothing
/// for other shapes.
std::optional<std::size_t> channel_axis(const Shape& shape);

}  // namespace edgeprobe::contract
