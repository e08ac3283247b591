// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "diagnose/postprocessing/numbers/frame.h"
#include "diagnose/postprocessing/numbers/precision.h"
#include "postprocess/embedding/recipe.h"
#include "search/problem.h"

namespace edgeprobe::diagnose::numbers {

/// Parameters of an embedding's recipe.
enum VectorParameter : std::uint32_t {
  kVectorOutput = 1U << 0,
  kVectorReading = 1U << 1,
  kPool = 1U << 2,
  kRows = 1U << 3,
  kNorm = 1U << 4,
  kLength = 1U << 5,
  kCutSide = 1U << 6,
  kBits = 1U << 7,
};

/// Predicts the vectors of recipes on the recorded tensors, and their distance to the recorded
/// ones. All frames have a vector. Borrows the frames; caches pooled rows.
class Vectors : public search::Problem<postprocess::embedding::Recipe> {
 public:
  using Recipe = postprocess::embedding::Recipe;

  Vectors(std::span<const RecordedFrame> frames, const Recipe& reference);

  const Recipe& reference() const override { return reference_; }
  std::size_t frames() const override { return frames_.size(); }

  /// 0 to 3: relative difference, direction and length.
  double distance(const Recipe& recipe, std::size_t frame) override;
  bool is_same(const Recipe& recipe, std::size_t frame) override {
    return distance(recipe, frame) <= 0;
  }
  std::vector<search::Change<Recipe>> changes(const Recipe& recipe) override;
  double bits(const Recipe& with_it, const Recipe& without_it, const search::Change<Recipe>& change,
              std::span<const std::size_t> frames) override;
  /// Reason why the reference's recipe cannot run on the frames; empty if it can.
  std::string why_not();

 private:
  struct Pooled {
    std::vector<double> values;
    std::string error;  ///< Empty if the recipe can read the tensors.
  };
  struct Said {
    bool fits = false;
    std::vector<double> values;  ///< Before rounding to 8 bits.
  };
  const Pooled& pooled(const Recipe& recipe, std::size_t frame);
  Said said(const Recipe& recipe, std::size_t frame);
  /// Relative difference from the recorded vector beyond rounding.
  double difference(const Recipe& recipe, const Said& said, std::size_t frame) const;

  using Key = std::tuple<std::size_t, postprocess::Reading, postprocess::embedding::Pool,
                         postprocess::embedding::Rows, std::optional<std::size_t>, std::size_t>;
  std::span<const RecordedFrame> frames_;
  Recipe reference_;
  std::vector<std::vector<double>> observed_;
  std::vector<double> sizes_;  ///< L2 norms of the recorded vectors.
  Precision precision_;
  std::map<Key, Pooled> pooled_;
};

}  // namespace edgeprobe::diagnose::numbers
