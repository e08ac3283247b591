// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/contract.h"
#include "contract/evidence.h"
#include "stats/interval.h"

/// Figures of all frames together, which learning and checking share.
namespace edgeprobe::contract {

/// Least and most of all frames; 0..0 without a finite value.
Span range_of(const TensorSeries& series);

/// One channel's values over the frames, in their order.
struct ChannelSeries {
  std::vector<double> means, stds;
};
/// The channels of a picture, else one of all values. Frames without a finite value are left out.
std::vector<ChannelSeries> channels_of(const TensorSeries& series);
double mean_of(const std::vector<double>& values);

/// Frames whose first class is the most frequent one; nothing where no output holds class scores.
struct Alike {
  std::uint64_t part = 0, all = 0;
  int index = -1;              ///< Of that class.
  bool probabilities = false;  ///< The scores of every frame are.
};
std::optional<Alike> alike_of(const Evidence& evidence);

/// The metric of the annotated frames.
struct Metric {
  std::string name;
  double value = 0;
  stats::Interval ci95;
  std::uint64_t frames = 0;
  bool lower_is_better = false;
};
std::optional<Metric> metric_of(const Evidence& evidence);

/// What a latency depends on, as the trace states it.
std::map<std::string, std::string> measured_with(const TraceFigures& figures);
std::optional<double> peak_mb(const TraceFigures& figures);

/// RMSE over range of the layers and outputs that both traces have, by "stage/name" of the
/// reference.
std::map<std::string, double> drift_of(const compare::Agreement& agreement);

}  // namespace edgeprobe::contract
