// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

/// Evidence for a change, in bits: facts in the answers that the recipe with it predicts, and the
/// recipe without it does not. Each kind of answer counts facts; their values are here.
namespace edgeprobe::search {

struct Proof {
  double bits = 0, needed = 0;
  double spare() const { return bits - needed; }
};

/// The proof with the smallest margin; of equal ones the last if requested, or else the first. For
/// an empty list: infinite bits.
Proof weakest(std::span<const Proof> all, bool is_last_told);

/// Bits that each of `together` changes needs if `proposed` changes were tried.
double bits_needed(std::size_t proposed, std::size_t together = 1);

/// Bits of a number anywhere in a range, known to a tolerance.
double bits_of_number(double range, double tolerance);

/// Number of ways to choose k of n, in bits; 0 if there are none.
double bits_of_choice(std::size_t n, std::size_t k);

/// Numbers that count only once across all frames.
class Facts {
 public:
  /// True if no equivalent number was counted before; counts it.
  bool is_new(double value, double tolerance);

 private:
  std::vector<double> known_;
};

/// Bounds from one frame for a limit at which its scores are cut.
struct Cut {
  std::vector<double> scores;  ///< All candidates for the cut, largest first.
  /// The limit is above the best dropped score, and at most the lowest kept one.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool keeps = false, drops = false;  ///< At least one score is kept or dropped.
};

/// The cut that keeps the best `count` of these, or all.
Cut cut_behind(std::vector<double> scores, std::size_t count);

/// Evidence in bits from these cuts: how unlikely it is that, by chance, each frame cuts its scores
/// within the limits that the other frames allow.
double bits_of_cuts(std::span<const Cut> cuts);

}  // namespace edgeprobe::search
