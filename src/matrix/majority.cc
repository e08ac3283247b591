// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "matrix/matrix.h"

namespace edgeprobe::matrix {

std::vector<std::size_t> majority_of(const std::vector<std::size_t>& columns,
                                     const std::vector<Pair>& pairs,
                                     const std::vector<std::size_t>& libraries) {
  // Agreement is not transitive, so all sets are tried; a command line has few columns.
  constexpr std::size_t kMost = 20;
  const std::size_t n = std::min(columns.size(), kMost);
  const auto library_of = [&](std::size_t i) {
    return libraries.empty() ? columns[i] : libraries[columns[i]];
  };
  std::vector<std::uint32_t> friends(n, 0);
  for (const Pair& pair : pairs) {
    const auto place = [&](std::size_t column) {
      return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) -
                                      columns.begin());
    };
    const std::size_t a = place(pair.a), b = place(pair.b);
    if (!pair.agree || a >= n || b >= n) continue;
    friends[a] |= 1u << b;
    friends[b] |= 1u << a;
  }
  // A library has one vote, even with several kernel sets: these share faults.
  std::vector<std::uint32_t> vote(n);  // The first column of the same library, as a set.
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t first = 0;
    while (library_of(first) != library_of(i)) ++first;
    vote[i] = 1u << first;
  }
  const auto votes_of = [&](std::uint32_t set) {
    std::uint32_t voting = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (set >> i & 1u) voting |= vote[i];
    return static_cast<std::size_t>(__builtin_popcount(voting));
  };
  const std::uint32_t all = n == 0 ? 0 : (1u << n) - 1;
  const auto agree_with_each_other = [&](std::uint32_t set) {
    for (std::size_t i = 0; i < n; ++i)
      if ((set >> i & 1u) && (set & ~friends[i] & ~(1u << i)) != 0) return false;
    return true;
  };
  // The largest set must be the only one with its number of votes, apart from its subsets.
  std::uint32_t best = 0;
  std::size_t votes = 0;
  for (std::uint32_t set = 1; set != 0 && set <= all; ++set) {
    if (!agree_with_each_other(set)) continue;
    const std::size_t own = votes_of(set);
    if (own > votes || (own == votes && __builtin_popcount(set) > __builtin_popcount(best)))
      best = set, votes = own;
  }
  std::vector<std::size_t> found;
  const bool whole = best == all && n >= 2;
  if (!whole && (votes < 2 || votes * 2 <= votes_of(all))) return found;
  for (std::uint32_t set = 1; set != 0 && set <= all; ++set)
    if ((set & ~best) != 0 && votes_of(set) == votes && agree_with_each_other(set)) return found;
  for (std::size_t i = 0; i < n; ++i)
    if (best >> i & 1u) found.push_back(columns[i]);
  return found;
}

}  // namespace edgeprobe::matrix
