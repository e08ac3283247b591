// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace edgeprobe::search {

/// Tolerance for equal distances: rounding of sums of doubles.
inline constexpr double kSame = 1e-9;
/// Maximum changes in one explanation. A hundred single changes already make 160,000 triples, and a
/// few frames distinguish few of them.
inline constexpr std::size_t kMostChanges = 3;
/// Pairs of changes that are extended by a third: with a hundred single changes, a few thousand
/// evaluations, within the budget of a search.
inline constexpr std::size_t kKeptPairs = 40;
/// Maximum searches for one finding; each adds a frame that the previous one did not explain.
inline constexpr int kMostRounds = 3;
/// The largest share of the reference's distance that the nearest recipe may leave to be worth
/// reporting: a worse one misleads.
inline constexpr double kPartial = 0.1;

/// A change with this many bits to spare fits by luck with a probability of 1 in 256.
inline constexpr double kSpareBits = 8;
/// Bits that a limit needs if it was fitted to the answers: each frame is predicted from the
/// others, so the choice among many changes costs nothing.
inline constexpr double kBitsOfCuts = 6;
/// Bits of one number, however exact: about 1 in 2,000, as for a position in a picture or a score
/// with three decimals. kBitsOfUsualNumber: for a number that clipping or saturation produces
/// anyway.
inline constexpr double kBitsOfNumber = 11, kBitsOfUsualNumber = 1;

/// Settings that differ between problems: tolerances, and the amount of work.
struct Limits {
  /// A state explains a frame up to the first distance. Up to the second, it does so only because
  /// of ties, which explain too much: a state with one more change but without ties takes priority.
  double same = kSame, tied = kSame;
  /// A frame agrees up to this distance; a state this close is not reported as the nearest.
  double agrees = kSame;
  /// Frames of each kind in a search: those that the reference explains, and the others. A finding
  /// is checked on all frames; use fewer if frames are expensive.
  std::size_t frames_of_a_kind = 3;
  /// Limit for one search: some seconds if each evaluation is a mask.
  std::size_t evaluations = 20'000;
  /// 0: the other frames are evaluated if the worst one is explained. Above 0, single changes are
  /// measured on all frames, and combinations only on states that leave at most this share of the
  /// reference's distance on the worst frame.
  double rough = 0;
  /// Number of changes tried in every frame before a change that applies to only some frames is
  /// accepted.
  std::size_t some_frames_after = 1;
  /// True: among changes with equal margin, such as those without effect on the recording, report
  /// the bits of the last one; false: of the first.
  bool is_last_told = false;
};

}  // namespace edgeprobe::search
