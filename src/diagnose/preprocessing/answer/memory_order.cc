// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/answer/memory_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "core/text.h"
#include "diagnose/preprocessing/answer/wording.h"

namespace edgeprobe::diagnose {
namespace {

/// Share of the values that may be off by more than two steps.
constexpr double kMostWrong = 0.001;
constexpr double kLeastPlaced = 0.8;  ///< Share of the values that an order must say something of.

/// The input as rows of values in memory: whole rows of an interleaved picture, rows of planes of a
/// planar one.
struct Rows {
  int count = 0, length = 0, pixel = 1;
};
Rows rows_of(const Reference& r) {
  if (r.order == Order::kChw) return {r.channels * r.height, r.width, 1};
  return {r.height, r.width * r.channels, r.channels};
}

/// Where (row y, column x, channel c) stands in the reference's memory.
std::int32_t at(const Reference& r, int y, int x, int c) {
  return std::int32_t(r.order == Order::kChw ? (c * r.height + y) * r.width + x
                                             : (y * r.width + x) * r.channels + c);
}

using Axes = std::array<int, 3>;  ///< 0 height, 1 width, 2 channel; outermost first.

Places1D in_axes(const Reference& r, const Axes& axes) {
  const std::array<int, 3> size = {r.height, r.width, r.channels};
  Places1D out;
  out.reserve(std::size_t(r.height) * std::size_t(r.width) * std::size_t(r.channels));
  std::array<int, 3> i{};
  for (i[std::size_t(axes[0])] = 0; i[std::size_t(axes[0])] < size[std::size_t(axes[0])];
       ++i[std::size_t(axes[0])])
    for (i[std::size_t(axes[1])] = 0; i[std::size_t(axes[1])] < size[std::size_t(axes[1])];
         ++i[std::size_t(axes[1])])
      for (i[std::size_t(axes[2])] = 0; i[std::size_t(axes[2])] < size[std::size_t(axes[2])];
           ++i[std::size_t(axes[2])])
        out.push_back(at(r, i[0], i[1], i[2]));
  return out;
}

std::string axes_text(const Axes& axes) {
  static constexpr const char* kNames[] = {"height", "width", "channel"};
  return std::string(kNames[axes[0]]) + ", " + kNames[axes[1]] + ", " + kNames[axes[2]];
}

/// Picture row y shows the reference's row `row(y)`.
Places1D by_rows(const Reference& r, const std::function<int(int)>& row) {
  Places1D out(std::size_t(r.height) * std::size_t(r.width) * std::size_t(r.channels));
  for (int y = 0; y < r.height; ++y)
    for (int x = 0; x < r.width; ++x)
      for (int c = 0; c < r.channels; ++c) out[std::size_t(at(r, y, x, c))] = at(r, row(y), x, c);
  return out;
}

Places1D late_by(const Reference& r, int by) {
  const int n = r.height * r.width * r.channels;
  Places1D out(std::size_t(n), -1);
  for (int i = std::max(0, by); i < std::min(n, n + by); ++i) out[std::size_t(i)] = i - by;
  return out;
}

/// Rows are read `more` values after each other too far apart: row y begins at y (length + more).
Places1D read_apart(const Reference& r, int more) {
  const Rows rows = rows_of(r);
  const int n = rows.count * rows.length;
  Places1D out(std::size_t(n), -1);
  for (int i = 0; i < n; ++i) {
    const int from = i / rows.length * (rows.length + more) + i % rows.length;
    if (from >= 0 && from < n) out[std::size_t(i)] = from;
  }
  return out;
}

/// Rows are written with `more` values of padding behind each, and read without.
Places1D written_apart(const Reference& r, int more) {
  const Rows rows = rows_of(r);
  const int n = rows.count * rows.length, stride = rows.length + more;
  Places1D out(std::size_t(n), -1);
  for (int i = 0; i < n; ++i)
    if (i % stride < rows.length && i / stride < rows.count)
      out[std::size_t(i)] = i / stride * rows.length + i % stride;
  return out;
}

std::string amount(int n, const Rows& rows) {
  const auto text = [](int count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  n = std::abs(n);
  if (n % rows.length == 0) return text(n / rows.length, "row");
  if (n % rows.pixel == 0) return text(n / rows.pixel, "pixel");
  return text(n, "value");
}

/// Gray steps between the target and the reference's values in those places; 99 when more than a
/// few are elsewhere.
double left_by(const Frame& frame, const Places1D& placements, double steps_per_unit) {
  const double limit = 2 / steps_per_unit;
  std::size_t placed = 0, wrong = 0;
  double squares = 0;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    if (placements[i] < 0) continue;
    const double d = double(frame.stored[i]) - double(frame.healthy[std::size_t(placements[i])]);
    ++placed;
    wrong += std::abs(d) > limit;
    squares += d * d;
    // Most orders are refuted by the first values.
    if (placed == 512 && wrong > 64) return 99;
  }
  if (double(placed) < kLeastPlaced * double(placements.size()) ||
      double(wrong) > kMostWrong * double(placed))
    return 99;
  return std::sqrt(squares / double(placed)) * steps_per_unit;
}

}  // namespace

std::vector<MemoryOrder> memory_orders(const Reference& r) {
  std::vector<MemoryOrder> out;
  const bool planar = r.order == Order::kChw;
  const Axes own = planar ? Axes{2, 0, 1} : Axes{0, 1, 2};
  const Axes exchanged = planar ? Axes{2, 1, 0} : Axes{1, 0, 2};
  const auto add = [&](std::string detail, std::function<Places1D()> placements) {
    out.push_back({std::move(detail), std::move(placements)});
  };
  std::vector<Axes> orders = {exchanged};
  for (const Axes& axes :
       {Axes{0, 1, 2}, Axes{2, 0, 1}, Axes{0, 2, 1}, Axes{1, 0, 2}, Axes{2, 1, 0}, Axes{1, 2, 0}})
    if (axes != own && axes != exchanged) orders.push_back(axes);
  for (const Axes& axes : orders)
    add(axes == exchanged ? std::string("height and width exchanged in memory") +
                                (planar ? ", plane by plane" : "")
                          : "memory runs over " + axes_text(axes) + " (innermost last)",
        [r, axes] { return in_axes(r, axes); });
  const int h = r.height, even = (h + 1) / 2;
  add("rows come field by field: the even ones in the upper half, the odd ones below",
      [=] { return by_rows(r, [=](int y) { return y < even ? 2 * y : 2 * (y - even) + 1; }); });
  add("rows come field by field: the odd ones in the upper half, the even ones below",
      [=] { return by_rows(r, [=](int y) { return y < h / 2 ? 2 * y + 1 : 2 * (y - h / 2); }); });
  add("rows of the upper and the lower half follow each other in turn",
      [=] { return by_rows(r, [=](int y) { return y % 2 ? even + y / 2 : y / 2; }); });
  add("each pair of rows is exchanged",
      [=] { return by_rows(r, [=](int y) { return (y ^ 1) < h ? y ^ 1 : y; }); });
  const Rows rows = rows_of(r);
  std::vector<int> by = {1,
                         2,
                         3,
                         4,
                         5,
                         6,
                         7,
                         8,
                         2 * rows.pixel,
                         3 * rows.pixel,
                         4 * rows.pixel,
                         rows.length,
                         2 * rows.length};
  std::sort(by.begin(), by.end());
  by.erase(std::unique(by.begin(), by.end()), by.end());
  for (const int n : by)
    for (const int signed_n : {n, -n})
      add("every value comes " + amount(n, rows) + (signed_n > 0 ? " too late" : " too early"),
          [=] { return late_by(r, signed_n); });
  std::vector<int> more;
  for (int k = 1; k <= 16; ++k) {
    more.push_back(k * rows.pixel);
    if (rows.pixel > 1 && k <= 4) more.push_back(k);
  }
  for (const int aligned : {4, 8, 16, 32, 64, 128})
    more.push_back((rows.length + aligned - 1) / aligned * aligned - rows.length);
  std::sort(more.begin(), more.end());
  more.erase(std::unique(more.begin(), more.end()), more.end());
  for (const int n : more) {
    if (n == 0) continue;
    add("rows are read " + amount(n, rows) + " too far apart (stride)",
        [=] { return read_apart(r, n); });
    add("rows are read " + amount(n, rows) + " too near to each other (stride)",
        [=] { return read_apart(r, -n); });
    add("each row is followed by " + amount(n, rows) +
            " of padding, which the model reads as picture (stride)",
        [=] { return written_apart(r, n); });
  }
  return out;
}

std::optional<Beyond> explain_by_memory(std::vector<Frame>& frames, const Reference& reference,
                                        const Hypothesis& own) {
  const double steps = reference.steps_per_unit();
  for (const MemoryOrder& order : memory_orders(reference)) {
    const auto placements = std::make_shared<const Places1D>(order.placements());
    double squares = 0, own_squares = 0;
    bool all = true;
    for (std::size_t i = 0; i < frames.size() && all; ++i) {
      const double left = left_by(frames[i], *placements, steps);
      all = left <= allowed(kExact, reference);
      squares += left * left / double(frames.size());
      double d = 0;
      for (std::size_t k = 0; k < frames[i].stored.size(); ++k)
        d += (double(frames[i].stored[k]) - double(frames[i].healthy[k])) *
             (double(frames[i].stored[k]) - double(frames[i].healthy[k]));
      own_squares += d / double(frames[i].stored.size()) * steps * steps / double(frames.size());
    }
    if (!all || std::sqrt(own_squares) <= 2 * kDecoder) continue;
    Beyond out;
    out.residual = std::sqrt(squares);
    out.fault.kind = CauseKind::kLayout;
    out.fault.detail = "the app feeds the same values in other places: " + order.detail +
                       "; the model expects " + name(reference.order);
    out.fault.contribution = std::sqrt(own_squares);
    out.fault.fix_step = fix_step(Part::kOrder, reference, own);
    out.left = [placements, steps](Frame& frame) { return left_by(frame, *placements, steps); };
    out.evidence.push_back({EvidenceKind::kMovedPlaces, {{"left", out.residual}}});
    return out;
  }
  return std::nullopt;
}

}  // namespace edgeprobe::diagnose
