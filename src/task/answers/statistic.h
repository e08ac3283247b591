// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stats/interval.h"
#include "task/annotation.h"
#include "trace/answer.h"

namespace edgeprobe::task {

/// How to read answers.
struct Terms {
  BoxForm boxes;
  std::vector<std::string> classes;    ///< Names by number; empty: unknown.
  std::map<std::string, int> numbers;  ///< From the names that annotations contain.
  bool operator==(const Terms&) const = default;
};

using Weights = std::span<const std::uint32_t>;  ///< How often each frame counts.

/// One class in a table.
struct ClassScore {
  std::string name;
  std::uint64_t there = 0;  ///< Number of its objects, pixels or frames.
  std::optional<double> value;
};

/// Further results of a metric besides its main number.
struct Details {
  std::vector<std::pair<std::string, std::optional<double>>> further;  ///< Names and values.
  std::vector<ClassScore> classes;
};

/// A metric over all frames together: frames are added one by one, then it is computed with any
/// frame weights. The frames of the first side are added before those of the second.
class Statistic {
 public:
  Statistic() = default;
  Statistic(const Statistic&) = delete;
  Statistic& operator=(const Statistic&) = delete;
  virtual ~Statistic() = default;

  /// Adds the next frame: its answer (null if there is none) and the truth. False, with a sentence
  /// in problems(), if the answer cannot be measured by this truth: it counts as missing.
  virtual bool add(const trace::Answer* answer, const Annotation& truth) = 0;
  /// Called between the last frame of the first side and the first frame of the second.
  virtual void begin_second_side() {}
  /// Called after the last frame, before the functions below.
  virtual void finish() {}

  /// Empty if no frame with a weight defines it.
  virtual std::optional<double> value(Weights weights) const = 0;
  virtual Details details(Weights weights) const = 0;
  virtual double cost() const = 0;  ///< Steps of value().

  /// For metrics with a formula; others resample frames (stats/resample.h).
  virtual std::optional<stats::Interval> interval(Weights) const { return std::nullopt; }
  struct Test {
    std::string name;
    double p_value = 1;
    std::optional<stats::Interval> difference_ci95;
  };
  /// Compares the two halves of the frames: both sides' answers to the same frames.
  virtual std::optional<Test> paired_test() const { return std::nullopt; }

  const std::vector<std::string>& problems() const { return problems_; }

 protected:
  /// Keeps each sentence once, with its count.
  void problem(const std::string& sentence);

 private:
  std::vector<std::string> problems_;
};

}  // namespace edgeprobe::task
