// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/parts/place.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

/// A line counts as different if more than this fraction of its values is unequal.
constexpr double kTouched = 0.02;
/// Differing lines are reported if they are less than this fraction of all lines.
constexpr double kFew = 0.85;
/// Shorter gaps are ignored: a plain background is equal by chance.
constexpr std::size_t kLeastGap = 3;
constexpr std::size_t kMostRuns = 3;
/// A picture's box counts as the box of all pictures if it covers this fraction of it.
constexpr double kSamePart = 0.75;

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

/// True if more than a third of the differing pictures differ only in a part of the common box.
bool moves_about(const PictureLayout& l, const Unequal& unequal) {
  Box all{l.height, l.width, 0, 0};
  std::vector<double> areas;
  for (const auto& mask : unequal) {
    const Box box = box_of(l, mask);
    if (box.is_empty()) continue;
    areas.push_back(box.area());
    all = {std::min(all.top, box.top), std::min(all.left, box.left),
           std::max(all.bottom, box.bottom), std::max(all.right, box.right)};
  }
  const auto small = std::count_if(areas.begin(), areas.end(),
                                   [&](double area) { return area < kSamePart * all.area(); });
  return 3 * small > std::ptrdiff_t(areas.size());
}

}  // namespace

Box box_of(const PictureLayout& l, const std::vector<std::uint8_t>& mask) {
  Box box{l.height, l.width, 0, 0};
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (!mask[i]) continue;
    const std::size_t y = i / l.channels / l.width, x = i / l.channels % l.width;
    box = {std::min(box.top, y), std::min(box.left, x), std::max(box.bottom, y + 1),
           std::max(box.right, x + 1)};
  }
  return box;
}

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
  // Set only if some channels are equal.
  const double most = *std::max_element(channels.begin(), channels.end());
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (channels[c] > 0.01 * most) place.channels.push_back(c);
  if (place.channels.size() == channels.size()) place.channels.clear();
  double there = 0;
  for (std::size_t y = 0; y < l.height; ++y)
    for (std::size_t x = 0; x < l.width; ++x)
      if (within(place.rows, y) && within(place.columns, x))
        there += double(place.channels.empty() ? l.channels : place.channels.size());
  place.moves = moves_about(l, unequal);
  place.filled = there > 0 ? all / (n * there) : 0;
  return place;
}

std::optional<std::vector<float>> filled_by_reference(const RecordedPictures& recorded,
                                                      const Unequal& unequal) {
  std::vector<std::optional<float>> seen(recorded.layout.channels);
  for (std::size_t k = 0; k < recorded.pictures.size(); ++k)
    for (std::size_t i = 0; i < unequal[k].size(); ++i) {
      if (!unequal[k][i]) continue;
      const float wanted = recorded.pictures[k].wanted[i];
      auto& value = seen[i % seen.size()];
      if (!value) value = wanted;
      if (std::abs(double(wanted) - double(*value)) > 0.02 * recorded.unit) return std::nullopt;
    }
  std::vector<float> fill;
  for (const auto& value : seen) {
    if (!value) return std::nullopt;
    fill.push_back(*value);
  }
  return fill;
}

std::string fill_text(const std::vector<float>& fill) {
  const bool is_one = std::equal(fill.begin() + 1, fill.end(), fill.begin());
  std::vector<std::string> values;
  for (const float value : fill) values.push_back(number(value, 4));
  return is_one ? values.front() : joined(values, "/");
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
