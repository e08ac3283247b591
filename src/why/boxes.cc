// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "core/text.h"
#include "why/outputs.h"

namespace edgeprobe::why {
namespace {

using diagnose::CauseKind;
using Box = std::array<double, 4>;

/// Minimum number of boxes, and of distinct coordinates, to recognise a form.
constexpr std::size_t kFewest = 3, kFewestDistinct = 6;
constexpr double kSlack = 2e-5;

/// Ways to write a box.
struct Form {
  const char* name;
  Box (*corners)(const Box&);  ///< Converts a box in this form to x1, y1, x2, y2.
  bool rows_first = false;     ///< y before x.
};
Box centre(const Box& b) {
  return {b[0] - b[2] / 2, b[1] - b[3] / 2, b[0] + b[2] / 2, b[1] + b[3] / 2};
}
Box sized(const Box& b) { return {b[0], b[1], b[0] + b[2], b[1] + b[3]}; }
Box turned(const Box& b) { return {b[1], b[0], b[3], b[2]}; }
constexpr std::array kForms{
    Form{"corners (x1, y1, x2, y2)", [](const Box& b) { return b; }},
    Form{"centres and sizes (cx, cy, w, h)", centre},
    Form{"a corner and sizes (x, y, w, h)", sized},
    Form{"corners with y first (y1, x1, y2, x2)", turned, true},
    Form{"centres and sizes with y first (cy, cx, h, w)",
         [](const Box& b) { return centre(turned(b)); }, true},
    Form{"a corner and sizes with y first (y, x, h, w)",
         [](const Box& b) { return sized(turned(b)); }, true},
};

/// Boxes along the last axis, or coordinates along the first.
std::optional<std::vector<Box>> boxes_of(const std::vector<float>& values, const Shape& shape) {
  Shape sides;
  for (const std::int64_t size : shape)
    if (size != 1) sides.push_back(size);
  if (sides.size() < 2 || values.size() % 4 != 0) return std::nullopt;
  const std::size_t n = values.size() / 4;
  const bool last = sides.back() == 4, first = sides.size() == 2 && sides.front() == 4;
  if (n < kFewest || (!last && !first)) return std::nullopt;
  std::vector<Box> out(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t c = 0; c < 4; ++c) out[k][c] = values[last ? k * 4 + c : c * n + k];
  return out;
}

std::vector<Box> corners_of(const std::vector<Box>& boxes, const Form& form) {
  std::vector<Box> out;
  for (const Box& box : boxes) out.push_back(form.corners(box));
  return out;
}

/// One factor for x and one for y, from the reference's to the app's.
struct Scale {
  double x = 1, y = 1;
};
std::optional<Scale> scale_of(const std::vector<Box>& fed, const std::vector<Box>& wanted) {
  Scale out;
  for (const int axis : {0, 1}) {
    double xx = 0, xy = 0, reach = 0;
    for (std::size_t k = 0; k < fed.size(); ++k)
      for (const int c : {axis, axis + 2}) {
        xx += wanted[k][c] * wanted[k][c];
        xy += wanted[k][c] * fed[k][c];
        reach = std::max(reach, std::abs(fed[k][c]));
      }
    if (!(xx > 0) || !(reach > 0)) return std::nullopt;
    const double gain = xy / xx;
    for (std::size_t k = 0; k < fed.size(); ++k)
      for (const int c : {axis, axis + 2})
        if (!(std::abs(fed[k][c] - gain * wanted[k][c]) <= kSlack * reach)) return std::nullopt;
    (axis ? out.y : out.x) = gain;
  }
  return out;
}

/// A rounded factor is a size in pixels.
bool is_size(double gain) { return gain > 8 && std::abs(gain - std::round(gain)) < 1e-3 * gain; }

std::string scale_text(const Scale& scale) {
  if (std::abs(scale.x - 1) < 1e-4 && std::abs(scale.y - 1) < 1e-4) return "";
  const auto pixels = [](double x, double y) {
    return "pixels of a picture of " + number(std::round(x), 6) + "x" + number(std::round(y), 6) +
           " (width x height)";
  };
  if (is_size(scale.x) && is_size(scale.y))
    return "in " + pixels(scale.x, scale.y) + " where the reference's are fractions of it";
  if (is_size(1 / scale.x) && is_size(1 / scale.y))
    return "in fractions where the reference's are " + pixels(1 / scale.x, 1 / scale.y);
  return "times " + number(scale.x, 5) + " in x and " + number(scale.y, 5) + " in y";
}

/// Forms that differ only in x and y are equivalent.
struct Map {
  std::size_t mine = 0, theirs = 0;
  bool turned = false;
  auto operator<=>(const Map&) const = default;
};
constexpr std::size_t kKinds = kForms.size() / 2;

struct Reading {
  const Form* mine = nullptr;
  const Form* theirs = nullptr;
  Scale scale;
};

/// Boxes from which on a form may show itself, and the odds required against its doing so by luck.
constexpr std::size_t kFewestTelling = 8;
constexpr double kOdds = 1e3;
/// Fractions reach 1 and pixels some hundreds; boxes at an edge lie a little outside.
constexpr double kMostFraction = 1.1, kLeastPixels = 16, kMostPixels = 1e5, kOutside = 0.05;
/// Share of the boxes whose coordinates must not all ascend, as those of sorted numbers do.
constexpr double kUnsorted = 0.1;

/// The largest coordinate of fractions, or of pixels; empty for other numbers, such as logits.
std::optional<double> picture_of(const std::vector<Box>& corners) {
  double low = 0, high = 0;
  for (const Box& b : corners)
    for (const double v : b) low = std::min(low, v), high = std::max(high, v);
  const bool are_pixels = high > kLeastPixels && high < kMostPixels;
  if (!are_pixels && !(high > 0.1 && high < kMostFraction)) return std::nullopt;
  if (low < -kOutside * std::max(1.0, high)) return std::nullopt;
  return are_pixels ? std::numeric_limits<double>::infinity() : 1 + kOutside;
}

/// Probabilities and directions: the sum or the length of each row is the same.
bool are_normalised(const std::vector<Box>& boxes) {
  double sums[2] = {1e300, -1e300}, lengths[2] = {1e300, -1e300};
  for (const Box& b : boxes) {
    const double sum = b[0] + b[1] + b[2] + b[3],
                 length = std::sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3]);
    sums[0] = std::min(sums[0], sum), sums[1] = std::max(sums[1], sum);
    lengths[0] = std::min(lengths[0], length), lengths[1] = std::max(lengths[1], length);
  }
  return sums[1] - sums[0] < 1e-3 * std::abs(sums[1]) ||
         lengths[1] - lengths[0] < 1e-3 * std::abs(lengths[1]);
}

/// True if the numbers of each row belong together as those of a box: with another row's size or
/// far corner, boxes would have a negative size or leave the picture, and none does. Numbers whose
/// columns are independent, such as scores, show nothing of the kind.
bool are_boxes(const std::vector<Box>& boxes, const Form& form) {
  constexpr std::size_t kMostRows = 200;
  const auto corners = corners_of(boxes, form);
  const auto picture = picture_of(corners);
  if (boxes.size() < kFewestTelling || !picture || are_normalised(boxes)) return false;
  std::size_t unsorted = 0;
  for (const Box& b : boxes) {
    const Box other = turned(b);
    unsorted += !std::is_sorted(b.begin(), b.end()) && !std::is_sorted(other.begin(), other.end());
  }
  if (double(unsorted) < kUnsorted * double(boxes.size())) return false;
  const auto is_inside = [&](const Box& b) {
    return b[2] >= b[0] && b[3] >= b[1] && b[0] >= -kOutside && b[1] >= -kOutside &&
           b[2] <= *picture && b[3] <= *picture;
  };
  const std::size_t step = std::max<std::size_t>(1, boxes.size() / kMostRows);
  double luck = 0;
  for (std::size_t i = 0; i < boxes.size(); i += step) {
    if (!is_inside(corners[i])) return false;
    std::size_t broken = 0, count = 0;
    for (std::size_t j = 0; j < boxes.size(); j += step, ++count)
      broken += !is_inside(form.corners({boxes[i][0], boxes[i][1], boxes[j][2], boxes[j][3]}));
    luck += std::log1p(-double(broken) / double(count + 1));
  }
  return luck < -std::log(kOdds);
}

bool are_ordered(const std::vector<Box>& corners) {
  return std::all_of(corners.begin(), corners.end(),
                     [](const Box& b) { return b[2] >= b[0] && b[3] >= b[1]; });
}

bool is_same_kind(const Reading& r) {
  return (r.mine - kForms.data()) % long(kKinds) == (r.theirs - kForms.data()) % long(kKinds);
}

/// From corners to centres or sizes, the numbers prove themselves: no other data has halves of one
/// column added to another. A factor, or x and y exchanged, fits any four columns.
bool is_borne_out(const Reading& reading, const std::vector<Box>& fed,
                  const std::vector<Box>& wanted) {
  if (!picture_of(corners_of(wanted, *reading.theirs)) ||
      !picture_of(corners_of(fed, *reading.mine)))
    return false;
  if (!is_same_kind(reading)) return true;
  if (reading.mine == reading.theirs) {
    const bool are_sizes = is_size(reading.scale.x) || is_size(1 / reading.scale.x);
    if (!are_sizes && std::abs(reading.scale.x / reading.scale.y - 1) < 1e-4) return false;
  }
  return std::any_of(kForms.begin(), kForms.end(), [&](const Form& form) {
    return are_boxes(wanted, form) || are_boxes(fed, form);
  });
}

std::string text_of(const Reading& reading) {
  const std::string scale = scale_text(reading.scale);
  if (reading.mine == reading.theirs)
    return "the app's boxes are " + (scale.empty() ? "the reference's" : scale);
  return std::string("the app's boxes are ") + reading.mine->name + ", the reference's " +
         reading.theirs->name + (scale.empty() ? "" : "; they are " + scale);
}

}  // namespace

std::optional<Answer> by_boxes(const Sides& sides) {
  if (sides.picture) return std::nullopt;
  const auto fed = boxes_of(sides.fed, sides.reference.spec.shape),
             wanted = boxes_of(sides.wanted(), sides.reference.spec.shape);
  if (!fed || !wanted) return std::nullopt;
  std::set<float> distinct(sides.wanted().begin(), sides.wanted().end());
  if (distinct.size() < kFewestDistinct) return std::nullopt;
  std::vector<Reading> readings;
  std::set<Map> maps;
  for (std::size_t t = 0; t < kForms.size(); ++t) {
    const Form& theirs = kForms[t];
    const auto right = corners_of(*wanted, theirs);
    if (!are_ordered(right)) continue;
    for (std::size_t m = 0; m < kForms.size(); ++m) {
      const Form& mine = kForms[m];
      const auto left = corners_of(*fed, mine);
      if (!are_ordered(left)) continue;
      const auto scale = scale_of(left, right);
      const Map map{m % kKinds, t % kKinds, mine.rows_first != theirs.rows_first};
      if (!scale || !maps.insert(map).second) continue;
      readings.push_back({&mine, &theirs, *scale});
    }
  }
  std::erase_if(readings,
                [&](const Reading& reading) { return !is_borne_out(reading, *fed, *wanted); });
  // If the same form with one scale fits, other forms are not tried.
  const auto plain = std::find_if(readings.begin(), readings.end(),
                                  [](const Reading& r) { return r.mine == r.theirs; });
  if (plain != readings.end()) readings = {*plain};
  if (readings.empty()) return std::nullopt;
  const auto is_turn = [](const Reading& r) {
    return r.mine->rows_first != r.theirs->rows_first && is_same_kind(r);
  };
  // In every form this is the same swap.
  if (is_turn(readings.front()))
    std::erase_if(readings,
                  [&](const Reading& r) { return &r != &readings.front() && is_turn(r); });
  std::string detail = text_of(readings.front());
  if (is_turn(readings.front())) {
    const std::string scale = scale_text(readings.front().scale);
    detail = "the app's boxes have x and y exchanged against the reference's" +
             (scale.empty() ? "" : "; they are " + scale);
  }
  Answer out = named(CauseKind::kPostprocessing, detail, {1, 1, 0, "rounding of its type"});
  for (std::size_t k = 1; k < readings.size(); ++k)
    out.causes.front().alternatives.push_back(text_of(readings[k]));
  if (readings.size() > 1) {
    out.outcome = diagnose::Outcome::kUndecided;
    out.would_decide.push_back("more boxes: in these the forms are one");
  }
  return out;
}

}  // namespace edgeprobe::why
