// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stats/interval.h"

/// Measurements of one deployment, as a value: times, machine, quality. json.h reads and writes
/// them with Kenning's keys (docs/reference/measurements.md).
namespace edgeprobe::measurements {

/// Values, each with the time of its measurement.
struct Series {
  /// Seconds of a steady clock on the measuring machine, one for each value; empty: unknown.
  std::vector<double> at;
  std::vector<double> values;
};

/// The machine that ran the model. Lists are as long as `at`.
struct Machine {
  std::vector<double> at;                        ///< Seconds, as in Series.
  std::vector<double> memory_percent;            ///< Share of the total memory in use; 0..100.
  std::vector<std::vector<double>> cpu_percent;  ///< Load of each CPU; 0..100. May be empty.
};

struct Gpu {
  std::vector<double> at;
  std::vector<double> busy_percent;    ///< Load; 0..100. May be empty.
  std::vector<double> memory_percent;  ///< May be empty. Share of the total in use.
};

/// The scores of one class, for all frames with a true class.
struct ClassScores {
  /// Area under the ROC curve: the class against all others, by the scores as recorded. Empty if no
  /// frame, or each one, is of the class.
  std::optional<double> auc;
  double top_5_count = 0;  ///< Frames of the class with a true class among the five best scores.
};

/// Answers of a classifier against the true classes.
struct Classification {
  std::size_t classes = 0;
  /// Frames by true class (row) and answered class (column), row-major, classes x classes.
  std::vector<double> confusion;
  /// Frames whose true class is among the five best; empty: not counted.
  std::optional<double> top_5_count;
  double total = 0;                      ///< Number of frames.
  std::vector<ClassScores> scores = {};  ///< One for each class; empty: unknown.
};

/// One detected object.
struct Detection {
  double score = 0;
  bool right = false;  ///< True if the object overlaps a true object by at least 0.5.
  double overlap = 0;  ///< IoU with that object; 0 if there is none.
};
struct DetectedClass {
  std::string name;
  std::vector<Detection> found;
  double there = 0;  ///< Number of true objects of this class in all frames.
};

/// A figure of the user's own metric.
struct UserFigure {
  std::string name;
  double value = 0;
  std::optional<stats::Interval> ci95;
  double frames = 0;
  bool higher_is_better = true;
};

struct Measurements {
  std::string model_name;                      ///< Untrusted text, like all texts here.
  std::string model_framework, model_version;  ///< "tflite", "2.14"; "" if unknown.
  std::vector<std::string> command;            ///< Shell commands that produced this.
  /// Programs that made the model, in order: name and version.
  std::vector<std::pair<std::string, std::string>> compilers;

  /// Seconds of each inference: measured on the device, and by a waiting client.
  std::optional<Series> target_inference, protocol_inference;
  std::optional<Machine> machine;
  std::optional<Gpu> gpu;

  std::vector<std::string> class_names;
  std::optional<Classification> classification;
  std::vector<DetectedClass> detection;
  std::vector<UserFigure> metrics;

  /// Key of the file -> why its value is missing. Never replaced by 0.
  std::map<std::string, std::string> not_measured;
  /// Other facts, in reading order: "engine", "device", "sampling".
  std::vector<std::pair<std::string, std::string>> facts;
  /// Unknown keys and their values as JSON: kept, and written again.
  std::vector<std::pair<std::string, std::string>> others;

  /// Times for a report: the device's own if known, as in Kenning.
  const std::optional<Series>& inference() const {
    return target_inference ? target_inference : protocol_inference;
  }
};

}  // namespace edgeprobe::measurements
