// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/diff.h"
#include "bench/measure.h"

namespace edgeprobe::bench {

/// One side of a comparison that is measured in turns.
struct Side {
  Model model;
  engine::SessionOptions options;
  std::string said;  ///< What else was asked of the engine, in words.
};

struct TurnPlan {
  std::size_t fewest = 6;
  std::size_t most = 30;  ///< Rounds; fewer when the ratio is known well enough.
  /// Seconds of timed runs in a round, both sides together; with layers as much again.
  double duration = 1;
  double warm_up_limit = 0.5;  ///< Seconds for each process.
  double noisy_share = 0.05;
  bool layers = false;
};

/// What a series of rounds gave.
struct Turns {
  Subject a, b;
  std::vector<Configuration> of_a, of_b;  ///< One of each round.
  std::vector<double> ratios;             ///< B / A.
  std::vector<std::string> warnings;      ///< One sentence each, once.
  bool stopped = false;                   ///< The user ended it; the rounds above are whole.
};

/// Runs A and B against each other. A round is a fresh engine process of each; they take turns in
/// blocks of 50 ms whose order changes, so that whatever else the machine does meets both. Its
/// ratio is the median over the pairs of blocks. Rounds go on until the 95 % interval of the ratio
/// is narrower than `threshold`, which does not look at where it lies. Inputs are those of
/// `inputs`, the same for both sides where their specs are the same.
Result<Turns> measure_in_turns(const Side& a, const Side& b, const TurnPlan& plan, double threshold,
                               const InputMaker& inputs, const Control& control);

/// The comparison of `turns`, judged.
Diff diff(const Turns& turns, const DiffOptions& options);

}  // namespace edgeprobe::bench
