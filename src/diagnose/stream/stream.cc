// SPDX-License-Identifier: Apache-2.0
#include "diagnose/stream/stream.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose::stream {
namespace {

/// Largest number of candidate places per piece; silence is everywhere.
constexpr std::size_t kMostPlaces = 64;

}  // namespace

Stream::Stream(const Windows& all, const Places& places) : all_(all) {
  long end = -1;
  for (std::size_t i = 0; i < all.all.size(); ++i)
    for (std::size_t t = 0; t < all.rows; ++t) {
      const long place = places.begin[i] + static_cast<long>(t);
      if (place < end) continue;
      end = place + 1;
      places_.push_back(place);
      rows_.push_back(&all.all[i].wanted[t * all.columns]);
    }
  // The column with the most movement distinguishes rows best.
  double most = -1;
  for (std::size_t c = 0; c < all.columns; ++c) {
    double moved = 0;
    for (std::size_t i = 1; i < rows_.size(); ++i)
      moved += std::abs(static_cast<double>(rows_[i][c]) - static_cast<double>(rows_[i - 1][c]));
    if (moved > most) most = moved, key_ = c;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) by_key_.emplace_back(rows_[i][key_], i);
  std::sort(by_key_.begin(), by_key_.end());
}

const float* Stream::at(long place) const {
  const auto found = std::lower_bound(places_.begin(), places_.end(), place);
  return found != places_.end() && *found == place
             ? rows_[static_cast<std::size_t>(found - places_.begin())]
             : nullptr;
}

std::size_t Stream::same_rows(const float* fed, std::size_t count, long place) const {
  std::size_t n = 0;
  for (; n < count; ++n) {
    const float* const row = at(place + static_cast<long>(n));
    if (!row || !all_.equal(fed + n * all_.columns, row)) break;
  }
  return n;
}

std::vector<long> Stream::find(const float* fed, std::size_t count, long expected) const {
  std::vector<long> found;
  const auto value = static_cast<double>(fed[key_]);
  auto low =
      std::lower_bound(by_key_.begin(), by_key_.end(),
                       std::pair(static_cast<float>(value - all_.same * 1.0001), std::size_t{0}));
  for (; low != by_key_.end() && static_cast<double>(low->first) <= value + all_.same; ++low)
    if (same_rows(fed, count, places_[low->second]) == count) {
      found.push_back(places_[low->second]);
      if (found.size() == kMostPlaces) break;
    }
  std::sort(found.begin(), found.end(), [&](long a, long b) {
    return std::pair(std::abs(a - expected), a) < std::pair(std::abs(b - expected), b);
  });
  return found;
}

}  // namespace edgeprobe::diagnose::stream
