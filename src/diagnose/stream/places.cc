// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "diagnose/stream/windows.h"

namespace edgeprobe::diagnose::stream {
namespace {

/// Pairs of windows examined for the hop, and candidate hops per pair.
constexpr std::size_t kAsked = 16, kMostAnswers = 16;
/// Minimum number of shared rows; fewer agree by chance.
constexpr std::size_t kFewestShared = 4;

bool varies(const Windows& all, const Window& window, std::size_t from) {
  for (std::size_t t = from + 1; t < all.rows; ++t)
    if (!all.equal(&window.wanted[t * all.columns], &window.wanted[from * all.columns]))
      return true;
  return false;
}

/// True if the second window equals the first, `hop` rows later, where they overlap.
bool follows(const Windows& all, std::size_t second, std::size_t hop) {
  const Window &a = all.all[second - 1], &b = all.all[second];
  for (std::size_t t = 0; t + hop < all.rows; ++t)
    if (!all.equal(&a.wanted[(t + hop) * all.columns], &b.wanted[t * all.columns])) return false;
  return true;
}

/// The most frequent hop of pairs; the window's length if hardly any overlap.
std::size_t hop_of(const Windows& all) {
  std::map<std::size_t, std::size_t> votes;
  std::size_t asked = 0;
  for (std::size_t i = 1; i < all.all.size() && asked < kAsked; ++i) {
    if (all.all[i].begins) continue;
    ++asked;
    std::size_t answers = 0;
    for (std::size_t hop = 1; hop + kFewestShared <= all.rows && answers < kMostAnswers; ++hop)
      if (follows(all, i, hop) && varies(all, all.all[i - 1], hop)) {
        ++votes[hop];
        ++answers;
      }
  }
  std::size_t best = all.rows, most = asked / 3;
  for (const auto& [hop, count] : votes)
    if (count > most) most = count, best = hop;
  return best;
}

}  // namespace

Places places_of(const Windows& all) {
  Places places;
  const std::size_t hop = hop_of(all);
  places.hop = static_cast<long>(hop);
  const long apart = 4 * static_cast<long>(all.rows);
  long at = 0;
  for (std::size_t i = 0; i < all.all.size(); ++i) {
    if (i > 0) {
      const bool on = hop == all.rows || follows(all, i, hop);
      if (!all.all[i].begins && !on) places.breaks.push_back(i);
      at += all.all[i].begins || !on ? apart : places.hop;
    }
    places.begin.push_back(at);
  }
  return places;
}

}  // namespace edgeprobe::diagnose::stream
