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

/// How answers are to be read.
struct Terms {
  BoxForm boxes;
  std::vector<std::string> classes;    ///< Names by number; empty: not given.
  std::map<std::string, int> numbers;  ///< Of the names that annotations bring themselves.
  bool operator==(const Terms&) const = default;
};

using Weights = std::span<const std::uint32_t>;  ///< How often each frame counts.

/// One class in a table.
struct ClassScore {
  std::string name;
  std::uint64_t there = 0;  ///< Things, pixels or frames of it.
  std::optional<double> value;
};

/// What a metric says beside its one number.
struct Details {
  std::vector<std::pair<std::string, std::optional<double>>> further;  ///< By name.
  std::vector<ClassScore> classes;
};

/// A metric of all frames together: frames are added one by one, then it is computed with any
/// weights of theirs. Frames of two sides are added one side after the other.
class Statistic {
 public:
  Statistic() = default;
  Statistic(const Statistic&) = delete;
  Statistic& operator=(const Statistic&) = delete;
  virtual ~Statistic() = default;

  /// The next frame: what was answered, null for nothing, and what is true. False, with a sentence
  /// in problems(), when the answer cannot be measured by this truth: it counts as none.
  virtual bool add(const trace::Answer* answer, const Annotation& truth) = 0;
  /// Called between the last frame of one side and the first of the other's.
  virtual void begin_second_side() {}
  /// Called after the last frame, before what is below.
  virtual void finish() {}

  /// Nothing where no frame with a weight defines it.
  virtual std::optional<double> value(Weights weights) const = 0;
  virtual Details details(Weights weights) const = 0;
  virtual double cost() const = 0;  ///< Steps of value().

  /// Where there is a formula; else frames are drawn again (stats/resample.h).
  virtual std::optional<stats::Interval> interval(Weights) const { return std::nullopt; }
  struct Test {
    std::string name;
    double p_value = 1;
    std::optional<stats::Interval> difference_ci95;
  };
  /// Of the two halves of the frames, which are the two sides' answers to the same ones.
  virtual std::optional<Test> paired_test() const { return std::nullopt; }

  const std::vector<std::string>& problems() const { return problems_; }

 protected:
  /// Keeps a sentence once, with how often it was said.
  void problem(const std::string& sentence);

 private:
  std::vector<std::string> problems_;
};

}  // namespace edgeprobe::task
