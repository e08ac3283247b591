// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/contract.h"
#include "contract/evidence.h"
#include "stats/interval.h"

/// Figures over all frames, shared by learning and checking.
namespace edgeprobe::contract {

/// Minimum and maximum over all frames; 0..0 without a finite value.
Span range_of(const TensorSeries& series);

/// A channel hardly varies if its deviation is below this fraction of the learned one. Other
/// pictures, rooms or movements vary more. A source that is dead, stuck or a thousand times too
/// quiet varies less.
inline constexpr double kHardlyVaries = 0.1;

/// One channel's values over the frames, in order.
struct ChannelSeries {
  std::vector<double> means, stds;
};
/// The channels of a picture, else one channel of all values. Skips frames without a finite value.
std::vector<ChannelSeries> channels_of(const TensorSeries& series);
/// The same with all values as one channel.
std::vector<ChannelSeries> whole_of(const TensorSeries& series);
double mean_of(const std::vector<double>& values);

/// Consecutive frames with the same model inputs.
struct Repeat {
  std::uint32_t first = 0;
  std::uint64_t length = 0;
};
/// Divides all frames with a model input into runs. Ignores `states`, which may repeat, or differ
/// although the rest repeats. A frame with the same sample name as the previous one is meant to
/// repeat, and a constant input is judged by its deviation: each such frame is a run by itself.
std::vector<Repeat> repeats_of(const TraceFigures& figures, const std::vector<std::string>& states);
/// The inputs in "OUTPUT=INPUT" texts.
std::vector<std::string> fed_states(const std::vector<std::string>& states);
/// The longest run; length 0 if there are none.
Repeat longest_of(const std::vector<Repeat>& runs);

/// Number of frames with the most frequent first class; nothing if no output holds class scores.
struct Alike {
  std::uint64_t part = 0, all = 0;
  int index = -1;              ///< Index of that class.
  bool probabilities = false;  ///< The scores are probabilities in every frame.
};
std::optional<Alike> alike_of(const Evidence& evidence);

/// The metric over the annotated frames.
struct Metric {
  std::string name;
  double value = 0;
  stats::Interval ci95;
  std::uint64_t frames = 0;
  bool lower_is_better = false;
};
std::optional<Metric> metric_of(const Evidence& evidence);

/// The conditions of a latency, as stated in the trace.
std::map<std::string, std::string> measured_with(const TraceFigures& figures);
std::optional<double> peak_mb(const TraceFigures& figures);

/// RMSE over range of the layers and outputs in both traces, keyed by "stage/name" of the
/// reference.
std::map<std::string, double> drift_of(const compare::Agreement& agreement);

}  // namespace edgeprobe::contract
