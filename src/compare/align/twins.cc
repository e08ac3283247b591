// SPDX-License-Identifier: Apache-2.0
#include "compare/align/twins.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace edgeprobe::compare {
namespace {

// largest error (1 - correlation) of a pair, and the factor by which others must be worse
constexpr double kAlike = 0.99, kFarLess = 4;
constexpr double kRounding = 1e-4;
constexpr std::size_t kMost = 64;  // of one kind, since each is compared with each

using Ones = std::vector<std::size_t>;

std::vector<std::optional<std::size_t>> nearest(
    const Ones& r, const Ones& t,
    const std::function<std::optional<double>(std::size_t, std::size_t)>& alike) {
  std::vector<std::vector<double>> off(r.size(), std::vector<double>(t.size(), 2));
  for (std::size_t i = 0; i < r.size(); ++i)
    for (std::size_t j = 0; j < t.size(); ++j)
      if (const auto found = alike(r[i], t[j])) off[i][j] = 1 - *found;
  std::vector<std::optional<std::size_t>> found(r.size());
  for (std::size_t i = 0; i < r.size(); ++i)
    for (std::size_t j = 0; j < t.size(); ++j) {
      const double own = off[i][j], others = kFarLess * (own + kRounding);
      bool is_nearest = own <= 1 - kAlike;
      for (std::size_t k = 0; k < t.size(); ++k)
        is_nearest = is_nearest && (k == j || off[i][k] > others);
      for (std::size_t k = 0; k < r.size(); ++k)
        is_nearest = is_nearest && (k == i || off[k][j] > others);
      if (is_nearest) found[i] = j;
    }
  return found;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> twins_in_other_order(
    const std::vector<Twin>& reference, const std::vector<Twin>& target,
    const std::function<std::optional<double>(std::size_t, std::size_t)>& alike) {
  // Keyed by kind and sorted shape, which is the same in all layouts.
  std::map<std::pair<std::string_view, Shape>, std::pair<Ones, Ones>> kinds;
  const auto of = [](const Twin& twin) {
    Shape shape;
    std::copy_if(twin.shape.begin(), twin.shape.end(), std::back_inserter(shape),
                 [](std::int64_t dim) { return dim != 1; });
    std::sort(shape.begin(), shape.end());
    return std::pair{twin.kind, shape};
  };
  for (const Twin& one : reference) kinds[of(one)].first.push_back(one.item);
  for (const Twin& one : target) kinds[of(one)].second.push_back(one.item);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& [kind, ones] : kinds) {
    const auto& [r, t] = ones;
    if (std::max(r.size(), t.size()) < 2 || std::max(r.size(), t.size()) > kMost) continue;
    const auto found = nearest(r, t, alike);
    std::optional<std::size_t> last;
    bool in_order = true;
    for (const auto& j : found) {
      if (!j) continue;
      in_order = in_order && (!last || *last < *j);
      last = j;
    }
    if (in_order) continue;
    for (std::size_t i = 0; i < r.size(); ++i)
      if (found[i]) pairs.emplace_back(r[i], t[*found[i]]);
  }
  return pairs;
}

}  // namespace edgeprobe::compare
