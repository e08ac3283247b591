// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/shape.h"

/// What a deployment promises, as a file that is committed beside it (docs/guides/contracts.md).
namespace edgeprobe::contract {

/// The newest format that this program reads, and the one that it writes.
inline constexpr int kVersion = 1;

/// Both ends belong to it.
struct Span {
  double low = 0, high = 0;
};

/// Terms of one model input. Values are real numbers: codes are dequantised.
struct InputTerms {
  DType dtype = DType::kFloat32;
  Shape shape;  ///< -1: differs from frame to frame.
  Span range;   ///< Least and most of all frames.
  /// By how much of the width of `range` values may lie outside it, and means may move.
  double margin = 0.1;
  /// By channel: mean over the frames of a frame's mean, and of its standard deviation. One channel
  /// where the tensor is no picture.
  std::vector<double> mean, std;
};

/// Terms of one model output.
struct OutputTerms {
  DType dtype = DType::kFloat32;
  Shape shape;
  Span range;
  double margin = 0.5;         ///< As InputTerms::margin.
  bool probabilities = false;  ///< Values of each frame lie in 0..1 and sum to 1.
};

/// Terms of the answers: of class scores among the outputs, and of what the app recorded itself.
struct AnswerTerms {
  /// The largest part of the frames that may have one and the same first class: more is an answer
  /// that is stuck.
  std::optional<double> most_alike;
  std::string metric;           ///< "top1_accuracy"; empty: frames had no annotation.
  std::optional<double> least;  ///< Of the metric; the most where a smaller one is better.
  bool lower_is_better = false;
  /// Parts of recorded answers: "labels", "scores", "boxes". Empty: the app recorded none.
  std::vector<std::string> parts;
  std::optional<Span> items;   ///< Labels, classes, boxes or points of one answer.
  std::optional<Span> scores;  ///< Of one item.
};

/// Time of the engine's invoke, in milliseconds. A bound is the learned value times 1 + margin.
struct LatencyTerms {
  double median = 0, p90 = 0;
  double margin = 0.5;
  /// Engine, version, kernels, threads: times of another one are not judged.
  std::map<std::string, std::string> measured_with;
};

/// Peak memory of the engine's process, in megabytes (10^6 bytes). The bound is peak * (1 +
/// margin).
struct MemoryTerms {
  double peak = 0, margin = 0.25;
};

/// Distances of layers from a reference's: root mean square of the difference over the range of the
/// reference's values. The bound of a layer is its learned distance times 1 + margin, at least
/// `floor`.
struct DriftTerms {
  double margin = 1, floor = 0.001;
  std::map<std::string, double> layers;  ///< By "stage/name" of the reference.
};

/// A part that is absent is not asserted.
struct Contract {
  std::map<std::string, std::string> learned_from;  ///< For readers of the file alone.
  std::string recipe;                               ///< Canonical text; empty: none.
  std::map<std::string, InputTerms> inputs;         ///< By name.
  std::map<std::string, OutputTerms> outputs;       ///< By name.
  std::vector<std::string> states;                  ///< "OUTPUT=INPUT": carried from step to step.
  std::vector<std::string> stages;                  ///< "model_input/image"; sorted.
  std::optional<AnswerTerms> answers;
  std::optional<LatencyTerms> latency;
  std::optional<MemoryTerms> memory;
  std::optional<DriftTerms> drift;
  std::vector<std::string> assertions;  ///< Lines of the user's own (line/line.h).
  std::vector<std::string> python;      ///< "checks.py:function", beside the file.
};

}  // namespace edgeprobe::contract
