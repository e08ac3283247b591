// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

/// How much speaks for a change, in bits: what the answers have, the recipe with it predicts, and
/// the one without it does not. Kinds of answers count facts; what each is worth stands here.
namespace edgeprobe::search {

struct Proof {
  double bits = 0, needed = 0;
  double spare() const { return bits - needed; }
};

/// The one with the least to spare; of equals the last one where that is asked, else the first. Of
/// none: more bits than any.
Proof weakest(std::span<const Proof> all, bool is_last_told);

/// Bits that one of `together` changes must have, when so many were proposed.
double bits_needed(std::size_t proposed, std::size_t together = 1);

/// Bits of a number that may lie anywhere in a range and is known to a tolerance.
double bits_of_number(double range, double tolerance);

/// Ways to choose k of n, in bits; 0 where there are none.
double bits_of_choice(std::size_t n, std::size_t k);

/// Numbers that count once, in whichever frames.
class Facts {
 public:
  /// Whether no number that is as good as this one was counted; now it is.
  bool is_new(double value, double tolerance);

 private:
  std::vector<double> known_;
};

/// Bounds that one frame gives for a limit that its scores are cut at.
struct Cut {
  std::vector<double> scores;  ///< All that could have been cut, largest first.
  /// The limit lies above the best one that was dropped, and up to the least one that was kept.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool keeps = false, drops = false;  ///< At least one of them.
};

/// The cut that keeps the best `count` of these, or all.
Cut cut_behind(std::vector<double> scores, std::size_t count);

/// How surprising it is that each frame cuts its scores where the limits of the others allow it.
double bits_of_cuts(std::span<const Cut> cuts);

}  // namespace edgeprobe::search
