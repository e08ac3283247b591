// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/answer/memory_order.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/text.h"
#include "diagnose/preprocessing/answer/wording.h"

namespace edgeprobe::diagnose {
namespace {

/// Fraction of the values that may be off by more than two steps.
constexpr double kMostWrong = 0.001;
constexpr double kLeastPlaced = 0.7;  ///< Fraction of the values that an order must predict.

/// Offset of a frame's first values in the reference's memory if they occur there only once; 0: in
/// place, or unknown.
std::size_t beginning_of(const Frame& frame, double steps_per_unit) {
  constexpr std::size_t kWindow = 48;
  const double near = 1 / steps_per_unit;
  const std::size_t n = frame.healthy.size();
  if (n < 4 * kWindow || frame.stored.size() != n) return 0;
  // A uniform window matches anywhere, so takes one where values change.
  std::size_t from = 0;
  double most = -1;
  for (std::size_t at = 0; at + kWindow <= n; at += kWindow) {
    double change = 0;
    for (std::size_t i = at + 3; i < at + kWindow; ++i)
      change += std::abs(double(frame.stored[i]) - double(frame.stored[i - 3]));
    if (change > most) {
      most = change;
      from = at;
    }
  }
  std::size_t found = n, count = 0;
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t i = 0;
    while (i < kWindow &&
           std::abs(double(frame.stored[from + i]) - double(frame.healthy[(j + i) % n])) <= near)
      ++i;
    if (i < kWindow) continue;
    found = j;
    ++count;
  }
  return count == 1 ? (found + n - from) % n : 0;
}

std::string amount(int n, const memory::Rows& rows) {
  const auto text = [](int count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  n = std::abs(n);
  if (n % rows.length == 0) return text(n / rows.length, "row");
  if (n % rows.pixel == 0) return text(n / rows.pixel, "pixel");
  return text(n, "value");
}

/// Gray steps between the target and the reference's values at those places; 99 if too many differ.
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
    // The first values refute most orders.
    if (placed == 512 && wrong > 64) return 99;
  }
  if (double(placed) < kLeastPlaced * double(placements.size()) ||
      double(wrong) > kMostWrong * double(placed))
    return 99;
  return std::sqrt(squares / double(placed)) * steps_per_unit;
}

MemoryOrder turned_order(const Reference& r, std::size_t n, std::size_t by) {
  const bool late = 2 * by > n;
  return {"every value comes " + amount(int(late ? n - by : by), memory::rows_of(r)) +
              (late ? " too late, and the end of the memory comes first"
                    : " too early, and the beginning of the memory comes last"),
          [n, by] { return memory::turned_by(n, by); }};
}

}  // namespace

std::vector<MemoryOrder> memory_orders(const Reference& r) {
  std::vector<MemoryOrder> out;
  const bool planar = r.order == Order::kChw;
  const memory::Axes own = planar ? memory::Axes{2, 0, 1} : memory::Axes{0, 1, 2};
  const memory::Axes exchanged = planar ? memory::Axes{2, 1, 0} : memory::Axes{1, 0, 2};
  const auto add = [&](std::string detail, std::function<Places1D()> placements) {
    out.push_back({std::move(detail), std::move(placements)});
  };
  std::vector<memory::Axes> orders = {exchanged};
  for (const memory::Axes& axes :
       {memory::Axes{0, 1, 2}, memory::Axes{2, 0, 1}, memory::Axes{0, 2, 1}, memory::Axes{1, 0, 2},
        memory::Axes{2, 1, 0}, memory::Axes{1, 2, 0}})
    if (axes != own && axes != exchanged) orders.push_back(axes);
  for (const memory::Axes& axes : orders)
    add(axes == exchanged ? std::string("height and width exchanged in memory") +
                                (planar ? ", plane by plane" : "")
                          : "memory runs over " + memory::axes_text(axes) + " (innermost last)",
        [r, axes] { return memory::in_axes(r, axes); });
  const int h = r.height, even = (h + 1) / 2;
  add("rows come field by field: the even ones in the upper half, the odd ones below", [=] {
    return memory::by_rows(r, [=](int y) { return y < even ? 2 * y : 2 * (y - even) + 1; });
  });
  add("rows come field by field: the odd ones in the upper half, the even ones below", [=] {
    return memory::by_rows(r, [=](int y) { return y < h / 2 ? 2 * y + 1 : 2 * (y - h / 2); });
  });
  add("rows of the upper and the lower half follow each other in turn",
      [=] { return memory::by_rows(r, [=](int y) { return y % 2 ? even + y / 2 : y / 2; }); });
  add("each pair of rows is exchanged",
      [=] { return memory::by_rows(r, [=](int y) { return (y ^ 1) < h ? y ^ 1 : y; }); });
  if (r.channels == 3) {
    add("each pixel has a fourth value, which the model reads as picture (RGBA for RGB)",
        [=] { return memory::of_pixels(r, memory::with_fourth(r, false)); });
    add("each pixel begins with a fourth value, which the model reads as picture (ARGB for RGB)",
        [=] { return memory::of_pixels(r, memory::with_fourth(r, true)); });
  }
  for (const int times : {2, 3, 4})
    add("each value is written " + std::to_string(times) + " times",
        [=] { return memory::repeated(r, times); });
  for (const int side : {2, 4, 8, 16, 32, 64})
    if (h % side == 0 && r.width % side == 0 && (side < h || side < r.width))
      add("tiles of " + std::to_string(side) + "x" + std::to_string(side) +
              " pixels are written one after the other",
          [=] { return memory::of_pixels(r, memory::in_tiles(r, side)); });
  const memory::Rows rows = memory::rows_of(r);
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
          [=] { return memory::late_by(r, signed_n); });
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
        [=] { return memory::read_apart(r, n); });
    add("rows are read " + amount(n, rows) + " too near to each other (stride)",
        [=] { return memory::read_apart(r, -n); });
    add("each row is followed by " + amount(n, rows) +
            " of padding, which the model reads as picture (stride)",
        [=] { return memory::written_apart(r, n); });
  }
  return out;
}

std::optional<Beyond> explain_by_memory(std::vector<Frame>& frames, const Reference& reference,
                                        const Hypothesis& own) {
  const double steps = reference.steps_per_unit();
  auto orders = memory_orders(reference);
  if (const std::size_t by = beginning_of(frames.front(), steps); by > 0)
    orders.push_back(turned_order(reference, frames.front().healthy.size(), by));
  for (const MemoryOrder& order : orders) {
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
