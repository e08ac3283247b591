// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/diff.h"
#include "bench/measure.h"

namespace edgeprobe::bench {

/// One side of a comparison measured in turns.
struct Side {
  Model model;
  engine::SessionOptions options;
  std::string said;  ///< Other engine settings, in words.
};

struct TurnPlan {
  std::size_t fewest = 6;
  std::size_t most = 30;  ///< Maximum rounds; fewer if the ratio is known precisely enough.
  /// Seconds of timed runs in a round, for both sides together; with layers, the same again.
  double duration = 1;
  double warm_up_limit = 0.5;  ///< Limit for each process, in seconds.
  double noisy_share = 0.05;
  bool layers = false;
};

/// Results of a series of rounds.
struct Turns {
  Subject a, b;
  std::vector<Configuration> of_a, of_b;  ///< One for each round.
  std::vector<double> ratios;             ///< B / A.
  std::vector<std::string> warnings;      ///< One sentence each, without duplicates.
  /// The user interrupted it; the rounds above are complete.
  bool stopped = false;
};

/// Measures A against B. Each round starts a fresh engine process for both; they alternate in
/// blocks of 50 ms in changing order, so that other load on the machine affects both. Its ratio is
/// the median over the pairs of blocks. Rounds continue until the 95 % interval of the ratio is
/// narrower than `threshold`, wherever the interval is. Inputs come from `inputs`, the same for
/// both sides if their specs are equal.
Result<Turns> measure_in_turns(const Side& a, const Side& b, const TurnPlan& plan, double threshold,
                               const InputMaker& inputs, const Control& control);

/// The judged comparison of `turns`.
Diff diff(const Turns& turns, const DiffOptions& options);

}  // namespace edgeprobe::bench
