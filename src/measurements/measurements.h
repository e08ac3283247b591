// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What was measured of one deployment, as a value: times, machine, quality. json.h reads and
/// writes it under Kenning's keys (docs/reference/measurements.md).
namespace edgeprobe::measurements {

/// Values, each with the moment at which it was taken.
struct Series {
  /// Seconds of a steady clock of where it was measured, as many as values; empty: not known.
  std::vector<double> at;
  std::vector<double> values;
};

/// The machine on which the model ran. Lists are as long as `at`.
struct Machine {
  std::vector<double> at;                        ///< Seconds, as in Series.
  std::vector<double> memory_percent;            ///< Of all memory, in use; 0..100.
  std::vector<std::vector<double>> cpu_percent;  ///< Busy, of each CPU; 0..100. May be empty.
};

struct Gpu {
  std::vector<double> at;
  std::vector<double> busy_percent;    ///< May be empty.
  std::vector<double> memory_percent;  ///< May be empty. Of all, in use.
};

/// Answers of a classifier beside the true classes.
struct Classification {
  std::size_t classes = 0;
  /// Frames by true class (row) and answered class (column), row-major, classes x classes.
  std::vector<double> confusion;
  /// Frames whose true class is among the five best; nothing: not counted.
  std::optional<double> top_5_count;
  double total = 0;  ///< Frames.
};

/// One thing that a detector found.
struct Detection {
  double score = 0;
  bool right = false;  ///< It lies over something that is there, by half at least.
  double overlap = 0;  ///< IoU with that; 0 where nothing is.
};
struct DetectedClass {
  std::string name;
  std::vector<Detection> found;
  double there = 0;  ///< Things of this class in all frames.
};

struct Measurements {
  std::string model_name;                      ///< Untrusted text, as all texts here.
  std::string model_framework, model_version;  ///< "tflite", "2.14"; "" where not known.
  std::vector<std::string> command;            ///< Lines of a shell that led here.

  /// Seconds of each inference: as the device took it, and as a client waited for it.
  std::optional<Series> target_inference, protocol_inference;
  std::optional<Machine> machine;
  std::optional<Gpu> gpu;

  std::vector<std::string> class_names;
  std::optional<Classification> classification;
  std::vector<DetectedClass> detection;

  /// Key of the file -> why there is no value. Never a value of 0 in its place.
  std::map<std::string, std::string> not_measured;
  /// What else is to be known, in the order of reading: "engine", "device", "sampling".
  std::vector<std::pair<std::string, std::string>> facts;
  /// Keys that nothing here reads and their values as JSON: kept, and written again.
  std::vector<std::pair<std::string, std::string>> others;

  /// Times that a report is about: the device's own where they are known, as in Kenning.
  const std::optional<Series>& inference() const {
    return target_inference ? target_inference : protocol_inference;
  }
};

}  // namespace edgeprobe::measurements
