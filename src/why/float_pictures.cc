// SPDX-License-Identifier: Apache-2.0
#include "why/float_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "diagnose/preprocessing/model/orientation.h"
#include "diagnose/preprocessing/model/reference.h"
#include "diagnose/tensors/line.h"
#include "why/pixels.h"
#include "why/relative.h"

namespace edgeprobe::why {
namespace {

using diagnose::CauseKind;
using diagnose::Orientation;
using diagnose::PictureLayout;
using diagnose::tensors::Line;
using diagnose::tensors::LineFit;

/// Relative to a channel's range: rounding differences between libraries, and of 16-bit floats.
constexpr double kSlack = 2e-5, kSlack16 = 1.5e-3;
/// A gain and an offset get a name only if they match it within this.
constexpr double kSameLine = 2e-4;
/// Pixels checked first.
constexpr std::size_t kFirst = 64;

struct Values {
  std::size_t height = 0, width = 0, channels = 0;
  std::vector<float> rows;  ///< Rows, columns, channels.
};

/// The reference's picture in another view.
struct View {
  Orientation orientation = 0;
  std::array<std::size_t, 3> order{0, 1, 2};
  /// Channels first in memory although the shape has them last, or the reverse.
  bool memory = false;

  int changes() const {
    return (orientation != 0) + (order != std::array<std::size_t, 3>{0, 1, 2}) + memory;
  }
};
struct Viewed {
  View view;
  std::vector<Line> lines;  ///< One for each channel of the app.
};

Values turned(const Values& from, Orientation orientation) {
  preprocess::Raster raster{int(from.height), int(from.width), int(from.channels), from.rows};
  raster = diagnose::laid_as(raster, orientation);
  return {std::size_t(raster.height), std::size_t(raster.width), from.channels,
          std::move(raster.values)};
}

bool is_near(const Line& line, double wanted, double fed, double slack) {
  return std::abs(fed - line.gain * wanted - line.offset) <= slack;
}

/// A line for each channel that yields every value of the app's; empty if one is missed.
std::optional<std::vector<Line>> lines_of(const Values& fed, const Values& wanted,
                                          const std::array<std::size_t, 3>& order, double share) {
  std::vector<Line> lines;
  const std::size_t step = fed.channels, pixels = fed.rows.size() / step;
  for (std::size_t c = 0; c < step; ++c) {
    const auto of = [&](std::size_t p) { return double(wanted.rows[p * step + order[c]]); };
    const auto to = [&](std::size_t p) { return double(fed.rows[p * step + c]); };
    // A few pixels decide whether to check the rest.
    LineFit few, fit;
    const std::size_t stride = std::max<std::size_t>(1, pixels / kFirst);
    double low = 1e300, high = -1e300;
    for (std::size_t p = 0; p < pixels; p += stride) {
      few.add(of(p), to(p));
      low = std::min(low, to(p)), high = std::max(high, to(p));
    }
    const auto guess = few.line();
    if (!guess || !(high > low)) return std::nullopt;
    for (std::size_t p = 0; p < pixels; p += stride)
      if (!is_near(*guess, of(p), to(p), 4 * share * (high - low))) return std::nullopt;
    for (std::size_t p = 0; p < pixels; ++p) {
      fit.add(of(p), to(p));
      low = std::min(low, to(p)), high = std::max(high, to(p));
    }
    const auto line = fit.line();
    if (!line || std::abs(line->gain) < 1e-9) return std::nullopt;
    for (std::size_t p = 0; p < pixels; ++p)
      if (!is_near(*line, of(p), to(p), share * (high - low))) return std::nullopt;
    lines.push_back(*line);
  }
  return lines;
}

/// The memory of a picture, read with its channels at the other end.
Values misread(const Values& from, bool planar) {
  PictureLayout as{from.height, from.width, from.channels, !planar};
  // Back to memory order, then read the other way.
  std::vector<float> memory(from.rows.size());
  const std::size_t pixels = from.height * from.width;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const std::size_t p = i / from.channels, c = i % from.channels;
    memory[planar ? c * pixels + p : i] = from.rows[i];
  }
  return {from.height, from.width, from.channels, as_rows(memory.data(), as)};
}

std::vector<std::array<std::size_t, 3>> orders_of(std::size_t channels) {
  if (channels != 3) return {{0, 1, 2}};
  return {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}};
}

std::vector<Viewed> views_of(const Values& fed, const Values& wanted, bool planar, double share) {
  std::vector<Viewed> found;
  for (const bool memory : {false, true}) {
    if (memory && wanted.channels == 1) continue;
    const Values read = memory ? misread(fed, planar) : fed;
    for (Orientation o = 0; o < diagnose::kOrientations; ++o) {
      const Values laid = turned(wanted, o);
      if (laid.height != read.height || laid.width != read.width) continue;
      for (const auto& order : orders_of(wanted.channels))
        if (auto lines = lines_of(read, laid, order, share))
          found.push_back({{o, order, memory}, *std::move(lines)});
    }
  }
  // The fewest changes first; equally good ones follow.
  std::stable_sort(found.begin(), found.end(), [](const Viewed& a, const Viewed& b) {
    return a.view.changes() < b.view.changes();
  });
  return found;
}

/// Names of both sides' ranges that yield these lines.
std::vector<std::string> range_names(const std::vector<Line>& lines,
                                     const std::array<std::size_t, 3>& order,
                                     const Values& wanted) {
  std::vector<std::string> names;
  const auto plain = usual_ranges(int(wanted.channels));
  for (const diagnose::Range& theirs : plain) {
    double low = 1e300, high = -1e300;
    for (std::size_t i = 0; i < wanted.rows.size(); ++i) {
      const std::size_t c = i % wanted.channels;
      const double x = (double(wanted.rows[i]) - theirs.offset[c]) / theirs.gain[c];
      low = std::min(low, x), high = std::max(high, x);
    }
    // Kernels overshoot a little; a picture covers part of its range.
    if (low < -40 || high > 295 || high - low < 24) continue;
    for (const diagnose::Range& mine : plain) {
      bool fits = true;
      for (std::size_t c = 0; fits && c < lines.size(); ++c) {
        const std::size_t from = order[c];
        const double gain = mine.gain[c] / theirs.gain[from],
                     offset = mine.offset[c] - gain * theirs.offset[from];
        const double reach = std::abs(255 * mine.gain[c]);
        fits = std::abs(lines[c].gain / gain - 1) < kSameLine &&
               std::abs(lines[c].offset - offset) < kSameLine * reach;
      }
      if (!fits || mine.name == theirs.name) continue;
      const auto to = [](const diagnose::Range& range) {
        return (range.bounds ? "to " : "by ") + range.name;
      };
      names.push_back("the app scales pixels " + to(mine) + "; the reference " + to(theirs));
    }
  }
  return names;
}

std::string line_text(const Line& line) {
  return "times " + number(line.gain, 5) +
         (std::abs(line.offset) < 1e-9
              ? ""
              : (line.offset < 0 ? " minus " : " plus ") + number(std::abs(line.offset), 5));
}

bool is_itself(const std::vector<Line>& lines, double reach) {
  return std::all_of(lines.begin(), lines.end(), [&](const Line& line) {
    return std::abs(line.gain - 1) < kSameLine && std::abs(line.offset) < kSameLine * reach;
  });
}

void add(Answer& out, CauseKind kind, std::string detail,
         std::vector<std::string> alternatives = {}) {
  diagnose::Cause cause;
  cause.kind = kind;
  cause.status = diagnose::CauseStatus::kConfirmed;
  cause.detail = std::move(detail);
  cause.alternatives = std::move(alternatives);
  out.causes.push_back(std::move(cause));
}

std::string order_text(const std::array<std::size_t, 3>& order) {
  if (order == std::array<std::size_t, 3>{2, 1, 0})
    return "the app's channels are the reference's in the order 2, 1, 0 (RGB and BGR exchanged)";
  return "the app's channels are the reference's in the order " + std::to_string(order[0]) + ", " +
         std::to_string(order[1]) + ", " + std::to_string(order[2]);
}

std::string memory_text(bool planar) {
  return planar ? "the app's memory holds the channels of each pixel together (NHWC) where its "
                  "shape says NCHW"
                : "the app's memory holds one channel after the other (NCHW) where its shape says "
                  "NHWC";
}

std::string view_text(const View& view, bool planar) {
  std::vector<std::string> texts;
  if (view.memory) texts.push_back(memory_text(planar));
  if (view.orientation)
    texts.push_back("the app feeds the picture " +
                    diagnose::describe_orientation(view.orientation));
  if (view.order != std::array<std::size_t, 3>{0, 1, 2}) texts.push_back(order_text(view.order));
  return texts.empty() ? "the app's picture is laid as the reference's" : joined(texts, " and ");
}

/// Views that fit equally well and are as simple, or need other lines. A gray picture is equal in
/// every channel order: that does not compete with its own order.
constexpr std::size_t kMostRivals = 4;
bool are_alike(const std::vector<Line>& a, const std::vector<Line>& b) {
  for (std::size_t c = 0; c < a.size(); ++c)
    if (std::abs(a[c].gain - b[c].gain) > 1e-3 * std::abs(a[c].gain) + 1e-9) return false;
  return true;
}
std::vector<const Viewed*> rivals(const std::vector<Viewed>& found) {
  std::vector<const Viewed*> out;
  for (std::size_t k = 1; k < found.size(); ++k)
    if (found[k].view.changes() == found[0].view.changes() ||
        !are_alike(found[k].lines, found[0].lines))
      out.push_back(&found[k]);
  return out;
}

double reach_of(const std::vector<float>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return double(*high) - double(*low);
}

}  // namespace

std::optional<Answer> by_view(const Sides& sides) {
  if (!sides.picture || sides.frames != 1 || sides.picture->channels == 2 ||
      sides.picture->channels > 3)
    return std::nullopt;
  const PictureLayout& l = *sides.picture;
  const Values fed{l.height, l.width, l.channels, as_rows(sides.fed.data(), l)};
  const Values wanted{l.height, l.width, l.channels, as_rows(sides.wanted().data(), l)};
  const bool is_half =
      sides.app.spec.dtype == DType::kFloat16 || sides.reference.spec.dtype == DType::kFloat16;
  const bool planar = sides.fit == Fit::kPlanar ? !l.planar : l.planar;
  const auto found = views_of(fed, wanted, planar, is_half ? kSlack16 : kSlack);
  if (found.empty()) return std::nullopt;
  const Viewed& best = found.front();
  Answer out;
  out.outcome = diagnose::Outcome::kDiffers;
  out.left = Left{1, 1, 0, "rounding of its type"};
  const View& view = best.view;
  if (view.memory) add(out, CauseKind::kLayout, memory_text(planar));
  if (view.orientation)
    add(out, CauseKind::kOrientation,
        "the app feeds the picture " + diagnose::describe_orientation(view.orientation) +
            ", against the reference's tensor");
  if (view.order != std::array<std::size_t, 3>{0, 1, 2})
    add(out, CauseKind::kChannelOrder, order_text(view.order));
  if (!is_itself(best.lines, reach_of(sides.fed))) {
    auto names = range_names(best.lines, view.order, wanted);
    std::string plain = "the app's values are the reference's ";
    for (std::size_t c = 0; c < best.lines.size(); ++c)
      plain += (c ? ", " : "") + line_text(best.lines[c]);
    if (best.lines.size() > 1) plain += " (channel by channel)";
    if (names.empty()) {
      add(out, CauseKind::kValueRange, plain);
    } else {
      const std::string first = names.front();
      names.erase(names.begin());
      add(out, CauseKind::kValueRange, first, names);
    }
  }
  if (out.causes.empty()) return std::nullopt;
  const auto others = rivals(found);
  for (std::size_t k = 0; k < others.size() && k < kMostRivals; ++k)
    out.causes.front().alternatives.push_back(view_text(others[k]->view, planar));
  if (!others.empty()) {
    out.outcome = diagnose::Outcome::kUndecided;
    out.would_decide.push_back(
        "a picture that is neither symmetric nor gray: in this one the explanations are one");
  } else if (view.orientation || view.order != std::array<std::size_t, 3>{0, 1, 2}) {
    out.would_decide.push_back(
        "which of the two is right: the picture that both were made of (--image)");
  }
  return out;
}

}  // namespace edgeprobe::why
