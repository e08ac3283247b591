// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/parts/place.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose {
namespace {

/// A line holds a difference when more than this share of its values is unequal.
constexpr double kTouched = 0.02;
/// Lines that hold the difference are worth a word when they are less than this share of all.
constexpr double kFew = 0.85;
/// Shorter gaps are luck: a plain background is equal by chance.
constexpr std::size_t kLeastGap = 3;
constexpr std::size_t kMostRuns = 3;

std::vector<Lines> runs_of(const std::vector<double>& share) {
  std::vector<Lines> runs;
  std::size_t touched = 0;
  for (std::size_t i = 0; i < share.size(); ++i) {
    if (share[i] <= kTouched) continue;
    if (!runs.empty() && i - runs.back().last <= kLeastGap) runs.back().last = i;
    else runs.push_back({i, i});
  }
  for (const Lines& run : runs) touched += run.last - run.first + 1;
  if (runs.size() > kMostRuns || double(touched) > kFew * double(share.size())) return {};
  return runs;
}

std::string runs_text(const std::vector<Lines>& runs, const char* line, std::size_t all) {
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool one = runs[i].first == runs[i].last;
    text += (i == 0 ? std::string(line) + (one && runs.size() == 1 ? " " : "s ") : " and ") +
            std::to_string(runs[i].first) + (one ? "" : " to " + std::to_string(runs[i].last));
  }
  return text.empty() ? text : text + " of " + std::to_string(all);
}

bool within(const std::vector<Lines>& runs, std::size_t line) {
  return runs.empty() || std::any_of(runs.begin(), runs.end(), [&](const Lines& run) {
           return line >= run.first && line <= run.last;
         });
}

}  // namespace

float median(std::vector<float> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Unequal unequal_values(const RecordedPictures& recorded) {
  Unequal out;
  for (const RecordedPicture& one : recorded.pictures) {
    std::vector<std::uint8_t> mask(one.fed.size());
    for (std::size_t i = 0; i < mask.size(); ++i)
      mask[i] = !(std::abs(double(one.fed[i]) - double(one.wanted[i])) <= recorded.near);
    out.push_back(std::move(mask));
  }
  return out;
}

Place place_of(const RecordedPictures& recorded, const Unequal& unequal) {
  const PictureLayout& l = recorded.layout;
  std::vector<double> rows(l.height), columns(l.width), channels(l.channels);
  double all = 0;
  for (const auto& mask : unequal)
    for (std::size_t y = 0; y < l.height; ++y)
      for (std::size_t x = 0; x < l.width; ++x)
        for (std::size_t c = 0; c < l.channels; ++c) {
          if (!mask[l.at(y, x, c)]) continue;
          ++rows[y];
          ++columns[x];
          ++channels[c];
          ++all;
        }
  const double n = double(unequal.size());
  Place place;
  place.share = all / (n * double(l.size()));
  const auto shares = [&](std::vector<double>& sums) {
    for (double& sum : sums) sum /= n * double(l.size()) / double(sums.size());
  };
  shares(rows);
  shares(columns);
  shares(channels);
  place.rows = runs_of(rows);
  place.columns = runs_of(columns);
  // Where only some of the channels differ.
  const double most = *std::max_element(channels.begin(), channels.end());
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (channels[c] > 0.01 * most) place.channels.push_back(c);
  if (place.channels.size() == channels.size()) place.channels.clear();
  double there = 0;
  for (std::size_t y = 0; y < l.height; ++y)
    for (std::size_t x = 0; x < l.width; ++x)
      if (within(place.rows, y) && within(place.columns, x))
        there += double(place.channels.empty() ? l.channels : place.channels.size());
  place.filled = there > 0 ? all / (n * there) : 0;
  return place;
}

std::string place_text(const RecordedPictures& recorded, const Place& place) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  for (std::size_t i = 0; i < place.channels.size(); ++i)
    text += (i ? " and " : "") + channel_word(recorded, place.channels[i]);
  add(runs_text(place.rows, "row", recorded.layout.height));
  add(runs_text(place.columns, "column", recorded.layout.width));
  return text;
}

}  // namespace edgeprobe::diagnose
