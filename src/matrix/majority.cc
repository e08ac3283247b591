// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "matrix/matrix.h"

namespace edgeprobe::matrix {

std::vector<std::size_t> majority_of(const std::vector<std::size_t>& columns,
                                     const std::vector<Pair>& pairs) {
  // Whether a and b agree is no transitive relation, so sets are tried; a command line has few
  // columns.
  constexpr std::size_t kMost = 20;
  const std::size_t n = std::min(columns.size(), kMost);
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
  std::uint32_t best = 0;
  int size = 0;
  bool only = false;
  for (std::uint32_t set = 1; set < (1u << n); ++set) {
    const int members = __builtin_popcount(set);
    if (members < size) continue;
    bool clique = true;
    for (std::size_t i = 0; i < n && clique; ++i)
      if (set >> i & 1u) clique = (set & ~friends[i] & ~(1u << i)) == 0;
    if (!clique) continue;
    only = members > size;
    best = set;
    size = members;
  }
  std::vector<std::size_t> found;
  if (!only || static_cast<std::size_t>(size) * 2 <= columns.size() || size < 2) return found;
  for (std::size_t i = 0; i < n; ++i)
    if (best >> i & 1u) found.push_back(columns[i]);
  return found;
}

}  // namespace edgeprobe::matrix
