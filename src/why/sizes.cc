// SPDX-License-Identifier: Apache-2.0
#include "why/sizes.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "core/text.h"
#include "why/outputs.h"

namespace edgeprobe::why {
namespace {

using diagnose::CauseKind;
using diagnose::PictureLayout;

struct Rows {
  PictureLayout layout;
  std::vector<float> values;
};
std::optional<Rows> rows_of(const Side& side) {
  const auto layout = diagnose::picture_layout(side.spec.shape);
  if (!layout) return std::nullopt;
  return Rows{*layout, as_rows(side.values.data(), *layout)};
}

/// The pixels of the larger picture that the smaller one shows.
struct Window {
  std::size_t top = 0, left = 0, found = 0;
  bool searched = true;  ///< False if the limit of comparisons ended the search.
};

/// A value of the smaller picture.
struct Place {
  std::size_t y = 0, x = 0, c = 0;
};

/// The values of the smaller picture that are rarest in the larger one: a bright line among black
/// pixels tells most.
std::vector<Place> rare_places(const Rows& small, const Rows& large) {
  constexpr std::size_t kLooked = 24;
  std::unordered_map<float, std::size_t> counts;
  for (const float value : large.values)
    if (!std::isnan(value)) ++counts[value];  // NaN would be a new key each time.
  const PictureLayout& s = small.layout;
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t i = 0; i < small.values.size(); ++i) {
    const auto count = counts.find(small.values[i]);
    order.emplace_back(count == counts.end() ? 0 : count->second, i);
  }
  const std::size_t looked = std::min(kLooked, order.size());
  std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(looked), order.end());
  std::vector<Place> out;
  for (std::size_t k = 0; k < looked; ++k) {
    const std::size_t pixel = order[k].second / s.channels;
    out.push_back({pixel / s.width, pixel % s.width, order[k].second % s.channels});
  }
  return out;
}

Window window_of(const Rows& small, const Rows& large) {
  /// Comparisons until the search ends: less than a second.
  constexpr std::size_t kMostCompared = 200'000'000;
  Window out;
  const PictureLayout &s = small.layout, &l = large.layout;
  const std::size_t row = s.width * s.channels;
  const std::vector<Place> rare = rare_places(small, large);
  std::size_t compared = 0;
  for (std::size_t top = 0; top + s.height <= l.height; ++top)
    for (std::size_t left = 0; left + s.width <= l.width; ++left) {
      bool same = true;
      for (std::size_t k = 0; same && k < rare.size(); ++k, ++compared) {
        const auto [y, x, c] = rare[k];
        same = small.values[s.at(y, x, c)] == large.values[l.at(top + y, left + x, c)];
      }
      for (std::size_t y = 0; same && y < s.height; ++y, compared += row)
        same = std::equal(&small.values[s.at(y, 0, 0)], &small.values[s.at(y, 0, 0)] + row,
                          &large.values[l.at(top + y, left, 0)]);
      if (same && out.found++ == 0) out.top = top, out.left = left;
      // A second place makes the window ambiguous.
      if (out.found > 1) return out;
      if (compared > kMostCompared) {
        out.searched = false;
        return out;
      }
    }
  return out;
}

std::optional<Answer> by_window(const Rows& app, const Rows& reference) {
  const PictureLayout &a = app.layout, &r = reference.layout;
  if (a.channels != r.channels) return std::nullopt;
  const bool app_is_small = a.height <= r.height && a.width <= r.width;
  if (!app_is_small && !(r.height <= a.height && r.width <= a.width)) return std::nullopt;
  const Rows &small = app_is_small ? app : reference, &large = app_is_small ? reference : app;
  const Window window = window_of(small, large);
  if (!window.searched) {
    return undecided(
        "undecided: the pictures differ in size, and too many places were alike to find out "
        "whether one is a part of the other",
        "pictures without large areas of one colour");
  }
  if (window.found != 1) return std::nullopt;
  const PictureLayout &s = small.layout, &l = large.layout;
  const bool centred = std::abs(double(l.height - s.height) / 2 - double(window.top)) <= 0.5 &&
                       std::abs(double(l.width - s.width) / 2 - double(window.left)) <= 0.5;
  const std::string who = app_is_small ? "the app's" : "the reference's",
                    other = app_is_small ? "the reference's" : "the app's";
  return named(CauseKind::kCrop,
               who + " picture is a window of " + other + ": rows " + std::to_string(window.top) +
                   " to " + std::to_string(window.top + s.height - 1) + " of " +
                   std::to_string(l.height) + " and columns " + std::to_string(window.left) +
                   " to " + std::to_string(window.left + s.width - 1) + " of " +
                   std::to_string(l.width) + (centred ? " (the middle)" : ""),
               {1, 1, 0, "rounding of its type"});
}

/// Three of four channels.
std::optional<Answer> by_fourth_channel(const Rows& app, const Rows& reference) {
  const PictureLayout &a = app.layout, &r = reference.layout;
  if (a.height != r.height || a.width != r.width || a.channels + r.channels != 7)
    return std::nullopt;
  const bool app_has_four = a.channels == 4;
  const Rows &four = app_has_four ? app : reference, &three = app_has_four ? reference : app;
  struct Way {
    std::size_t from[3];
    const char* words;
  };
  constexpr Way kWays[] = {{{0, 1, 2}, "after the three that the other has (RGBA for RGB)"},
                           {{1, 2, 3}, "before the three that the other has (ARGB for RGB)"},
                           {{2, 1, 0},
                            "after the three that the other has, in the opposite order "
                            "(BGRA for RGB)"}};
  std::vector<const Way*> found;
  for (const Way& way : kWays) {
    bool same = true;
    for (std::size_t p = 0; same && p < a.height * a.width; ++p)
      for (std::size_t c = 0; same && c < 3; ++c)
        same = four.values[p * 4 + way.from[c]] == three.values[p * 3 + c];
    if (same) found.push_back(&way);
  }
  if (found.empty()) return std::nullopt;
  const std::string text = std::string(app_has_four ? "the app's" : "the reference's") +
                           " picture has a fourth channel ";
  Answer out = named(CauseKind::kChannelOrder, text + found.front()->words,
                     {1, 1, 0, "rounding of its type"});
  for (std::size_t k = 1; k < found.size(); ++k)
    out.causes.front().alternatives.push_back(text + found[k]->words);
  if (found.size() > 1) {
    out.outcome = diagnose::Outcome::kUndecided;
    out.would_decide.push_back("a picture whose channels differ: in this one they are alike");
  }
  return out;
}

}  // namespace

Answer by_sizes(const Sides& sides) {
  if (auto out = by_classes(sides)) return *std::move(out);
  const auto app = rows_of(sides.app), reference = rows_of(sides.reference);
  if (app && reference) {
    if (auto out = by_fourth_channel(*app, *reference)) return *std::move(out);
    if (auto out = by_window(*app, *reference)) return *std::move(out);
  }
  Answer out = undecided("undecided: the tensors hold " + std::to_string(sides.app.values.size()) +
                             " and " + std::to_string(sides.reference.values.size()) +
                             " values, and neither is a part of the other",
                         "which size the model's input has: edgeprobe inspect MODEL");
  if (app && reference) out.would_decide.push_back("the picture that both were made of (--image)");
  return out;
}

}  // namespace edgeprobe::why
