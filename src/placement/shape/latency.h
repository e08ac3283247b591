// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "placement/shape/grid.h"
#include "placement/shape/part_models.h"
#include "placement/shape/space.h"
#include "placement/shape/times.h"

namespace edgeprobe::placement::shape {

/// Work of branches, each built once.
class Works {
 public:
  explicit Works(const Base& base) : base_(base) {}
  /// Multiply-accumulates; a branch that cannot be built has none, so no bound admits it.
  double macs(std::size_t stage, std::int64_t depth, std::int64_t width, std::int64_t input);

 private:
  const Base& base_;
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t, std::int64_t>, double> known_;
};

/// Seconds of the parts of every network of a space, from measured parts.
class LatencyModel {
 public:
  /// |predicted / measured - 1| of points that the prediction does not rest on.
  struct Held {
    std::vector<double> errors;
  };

  LatencyModel(const Base& base, const Space& space, PartTimes& times)
      : base_(base), space_(space), times_(times) {}

  /// `inputs`: what each stage and the head may read (inputs_of()). `tell` is called after each
  /// point with the number of all. kInterrupted keeps measured points in the cache.
  Status measure(const std::vector<std::set<std::int64_t>>& inputs,
                 const std::function<void(std::size_t done, std::size_t all)>& tell,
                 const Control& control);

  double seconds(std::size_t stage, const BranchShape& branch, std::int64_t input,
                 bool alone) const;
  double stem() const { return stem_; }
  double head(std::int64_t input) const { return head_->at({1, 1, input}); }
  const Held& held() const { return held_; }

 private:
  Status measure_stage(std::size_t stage, const std::set<std::int64_t>& inputs,
                       const std::function<void()>& step, const Control& control);
  std::vector<Grid::Point> held_points(std::size_t stage, const std::set<std::int64_t>& inputs,
                                       const std::vector<Grid::Point>& nodes) const;
  Grid grid_of(std::size_t stage, const std::set<std::int64_t>& inputs) const;
  Grid alone_grid(std::size_t stage, const std::set<std::int64_t>& inputs) const;

  const Base& base_;
  const Space& space_;
  PartTimes& times_;
  /// By stage and processor.
  std::vector<std::vector<Grid>> beside_, alone_;
  std::optional<Grid> head_;
  double stem_ = 0;
  Held held_;
};

}  // namespace edgeprobe::placement::shape
