// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace edgeprobe::search {

/// Of distances that are called the same: sums of shares in doubles.
inline constexpr double kSame = 1e-9;
/// Changes of one explanation. A hundred single ones make 160,000 triples already, of which a few
/// frames tell few apart.
inline constexpr std::size_t kMostChanges = 3;
/// Pairs of changes that a third one is added to: with a hundred single ones some thousand
/// evaluations, within the budget of a search.
inline constexpr std::size_t kKeptPairs = 40;
/// Searches of one finding; each adds a frame that the one before did not explain.
inline constexpr int kMostRounds = 3;
/// The share that the nearest recipe may leave of the reference's distance and still be worth a
/// word: a worse one misleads.
inline constexpr double kPartial = 0.1;

/// A lucky fit of a change with that many bits to spare has a chance of 1 in 256.
inline constexpr double kSpareBits = 8;
/// Bits that a limit needs if it was fitted to the very answers: each frame is predicted from the
/// others, so that no choice among many changes has to be paid for.
inline constexpr double kBitsOfCuts = 6;
/// Of one number, however exact: about 1 in 2,000, as of a place in a picture or of a score with
/// three decimals. Of one that cutting or saturation gives anyway.
inline constexpr double kBitsOfNumber = 11, kBitsOfUsualNumber = 1;

/// Settings that differ between problems: how near is near, and how much is looked at.
struct Limits {
  /// A state explains a frame up to the first distance. Up to the second one it owes that to ties,
  /// which explain more than they should: one more change without a debt goes before it.
  double same = kSame, tied = kSame;
  /// A frame agrees up to it, and no state this near is called the nearest.
  double agrees = kSame;
  /// Frames of a search of either kind: those that the reference explains, and the others. A
  /// finding is checked on all; the dearer a frame is, the fewer.
  std::size_t frames_of_a_kind = 3;
  /// Of one search: some seconds, where each is a mask.
  std::size_t evaluations = 20'000;
  /// 0: the frames beside the worst one are looked at where that one is explained. Else single
  /// changes are measured on all frames, and more on those that leave no more than this share of
  /// the reference's distance on the worst one.
  double rough = 0;
  /// Changes that a search has tried in every frame before one change of some frames is believed.
  std::size_t some_frames_after = 1;
  /// Of changes with equally little to spare, such as those that leave no trace in what was
  /// recorded, the bits of the last one are reported; else those of the first.
  bool is_last_told = false;
};

}  // namespace edgeprobe::search
