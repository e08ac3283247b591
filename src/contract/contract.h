// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/shape.h"

/// The promises of a deployment, in a file that is committed next to it (docs/guides/contracts.md).
namespace edgeprobe::contract {

/// The newest supported format, which is also the one written.
inline constexpr int kVersion = 1;

/// Both ends are inclusive.
struct Span {
  double low = 0, high = 0;
};

/// Terms for one model input. Values are real numbers: codes are dequantised.
struct InputTerms {
  DType dtype = DType::kFloat32;
  Shape shape;  ///< -1: varies between frames.
  Span range;   ///< Minimum and maximum over all frames.
  /// Fraction of the width of `range` by which values may exceed it, and means may move.
  double margin = 0.1;
  /// By channel: mean over the frames of each frame's mean and standard deviation. One channel if
  /// the tensor is not a picture.
  std::vector<double> mean, std;
  /// Channels that hardly varied in some frame while others did: a deviation near 0 is usual there.
  std::vector<double> rests = {};
  /// By channel: the least deviation of a frame, if every channel hardly varied in some frame
  /// (pauses of speech). Empty if the source never rested.
  std::vector<double> quietest = {};
};

/// Terms for one model output.
struct OutputTerms {
  DType dtype = DType::kFloat32;
  Shape shape;
  Span range;
  double margin = 0.5;         ///< Like InputTerms::margin.
  bool probabilities = false;  ///< The values of each frame are in 0..1 and sum to 1.
};

/// Terms for the answers: class scores among the outputs, and the app's recorded answers.
struct AnswerTerms {
  /// Largest fraction of the frames that may have the same first class: more means a stuck answer.
  std::optional<double> most_alike;
  std::string metric;  ///< "top1_accuracy"; empty: frames had no annotation.
  /// Least allowed value of the metric; the greatest one if smaller is better.
  std::optional<double> least;
  bool lower_is_better = false;
  /// Parts of recorded answers: "labels", "scores", "boxes". Empty: none were recorded.
  std::vector<std::string> parts;
  std::optional<Span> items;   ///< Allowed number of labels, classes, boxes or points in an answer.
  std::optional<Span> scores;  ///< Allowed score of one item.
};

/// Time of the engine's invoke in milliseconds. Each bound is the learned value times 1 + margin.
struct LatencyTerms {
  double median = 0, p90 = 0;
  double margin = 0.5;
  /// Engine, version, kernels, threads: latencies under other conditions are not judged.
  std::map<std::string, std::string> measured_with;
};

/// Peak memory of the engine's process, in megabytes (10^6 bytes). The bound is peak * (1 +
/// margin).
struct MemoryTerms {
  double peak = 0, margin = 0.25;
};

/// Distances of layers from a reference's: RMS difference over the range of the reference's values.
/// The bound of a layer is its learned distance times 1 + margin, at least `floor`.
struct DriftTerms {
  double margin = 1, floor = 0.001;
  std::map<std::string, double> layers;  ///< Keyed by "stage/name" of the reference.
};

/// A missing part is not asserted.
struct Contract {
  std::map<std::string, std::string>
      learned_from;    ///< Information for people who read the file; not judged.
  std::string recipe;  ///< Canonical text; empty if there is none.
  std::map<std::string, InputTerms> inputs;    ///< Keyed by name.
  std::map<std::string, OutputTerms> outputs;  ///< Keyed by name.
  /// "OUTPUT=INPUT": states carried between steps.
  std::vector<std::string> states;
  /// Largest number of consecutive frames with the same model inputs; unset: not checked.
  std::optional<std::uint64_t> repeats;
  std::vector<std::string> stages;  ///< "model_input/image"; sorted.
  std::optional<AnswerTerms> answers;
  std::optional<LatencyTerms> latency;
  std::optional<MemoryTerms> memory;
  std::optional<DriftTerms> drift;
  std::vector<std::string> assertions;  ///< The user's own lines (line/line.h).
  std::vector<std::string> python;      ///< "checks.py:function", next to the file.
};

}  // namespace edgeprobe::contract
