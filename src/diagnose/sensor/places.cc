// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/places.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose::sensor {
namespace {

using readings::Fill;
using readings::FrontEnd;
using readings::Table;

constexpr std::size_t kPieces = 4, kPieceSteps = 24, kFewestSteps = 6;
/// Minimum correlation of a piece with its source: for real values, and for codes, whose rounding
/// is noise.
constexpr double kSameReal = 0.99999, kSameCodes = 0.97;
/// Positions of a seam between two pieces that are tried one by one.
constexpr std::size_t kMostSeams = 512;

/// Number of rows at one end that equal the outermost one.
std::size_t repeated(const Table& table, bool at_end) {
  std::size_t n = 1;
  const auto row = [&](std::size_t i) { return at_end ? table.steps - 1 - i : i; };
  const auto same = [&](std::size_t i) {
    for (std::size_t a = 0; a < table.axes; ++a)
      if (table.at(row(i), a) != table.at(row(0), a)) return false;
    return true;
  };
  while (n < table.steps && same(n)) ++n;
  return n;
}

struct Piece {
  std::size_t begin = 0, steps = 0, axis = 0;
};

/// The axis that moves most relative to its own range in `steps` rows from `begin` on.
Piece piece_at(const Table& table, std::size_t begin, std::size_t steps) {
  Piece piece{begin, steps, 0};
  double most = -1;
  for (std::size_t a = 0; a < table.axes; ++a) {
    double low = table.at(0, a), high = low, moved = 0;
    for (std::size_t t = 0; t < table.steps; ++t) {
      low = std::min(low, table.at(t, a));
      high = std::max(high, table.at(t, a));
    }
    for (std::size_t t = begin + 1; t < begin + steps; ++t)
      moved += std::abs(table.at(t, a) - table.at(t - 1, a));
    const double part = high > low ? moved / (high - low) : 0;
    if (part > most) most = part, piece.axis = a;
  }
  return piece;
}

double correlation(const Table& recorded, const Piece& piece, const Table& readings, std::size_t at,
                   std::size_t column) {
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  const double n = static_cast<double>(piece.steps);
  const double x0 = readings.at(at, column), y0 = recorded.at(piece.begin, piece.axis);
  for (std::size_t t = 0; t < piece.steps; ++t) {
    const double p = readings.at(at + t, column) - x0,
                 q = recorded.at(piece.begin + t, piece.axis) - y0;
    x += p, y += q, xx += p * p, yy += q * q, xy += p * q;
  }
  const double spread = (xx - x * x / n) * (yy - y * y / n);
  return spread > 0 ? std::abs(xy - x * y / n) / std::sqrt(spread) : 0;
}

/// Step of the readings at which the window would begin according to this piece; the one nearest to
/// `expected` among equals. Nothing if the piece is not found.
std::optional<std::ptrdiff_t> begin_by(const Table& recorded, const Piece& piece,
                                       const Table& readings, std::ptrdiff_t expected,
                                       double same) {
  std::optional<std::ptrdiff_t> found;
  double best = same;
  const auto distance = [&](std::ptrdiff_t begin) { return std::abs(begin - expected); };
  for (std::size_t at = 0; at + piece.steps <= readings.steps; ++at)
    for (std::size_t c = 0; c < readings.axes; ++c) {
      const double r = correlation(recorded, piece, readings, at, c);
      const auto begin = static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(piece.begin);
      const double margin = 1e-9;
      if (r > best + margin ||
          (r > best - margin && r > same && (!found || distance(begin) < distance(*found)))) {
        best = std::max(best, r);
        found = begin;
      }
    }
  return found;
}

}  // namespace

std::vector<FrontEnd> places(const Problem& problem, const FrontEnd& from, const Reading& reading) {
  std::vector<FrontEnd> out;
  if (from.length <= 0) return out;
  const auto at_rate = readings::at_rate(problem.series(0), from);
  if (!at_rate) return out;
  Table recorded = problem.recorded(0, reading);
  if (from.newest_first)
    for (std::size_t t = 0; t < recorded.steps / 2; ++t)
      for (std::size_t a = 0; a < recorded.axes; ++a)
        std::swap(recorded.at(t, a), recorded.at(recorded.steps - 1 - t, a));
  const std::size_t steps = recorded.steps;
  const std::size_t head = repeated(recorded, false), tail = repeated(recorded, true);
  const std::size_t lead = head >= 3 ? head : 0, rest = tail >= 3 ? tail : 0;
  if (lead + rest + kFewestSteps > steps) return out;
  const std::size_t live = steps - lead - rest;
  const std::size_t length = std::min(kPieceSteps, std::max(kFewestSteps, live / kPieces));
  const auto free =
      static_cast<std::ptrdiff_t>(at_rate->steps) - static_cast<std::ptrdiff_t>(steps);
  const std::ptrdiff_t base = from.at_end ? free : 0;
  const double same = problem.is_coded() ? kSameCodes : kSameReal;
  std::vector<std::pair<std::size_t, std::ptrdiff_t>>
      begins;  // For each piece that was found: its position, and the beginning of the window that
               // it implies.
  for (std::size_t p = 0; p < kPieces; ++p) {
    const std::size_t at = lead + (live - length) * p / (kPieces - 1);
    const auto begin =
        begin_by(recorded, piece_at(recorded, at, length), *at_rate, base + from.offset, same);
    if (begin) begins.emplace_back(at, *begin);
  }
  const auto with = [&](std::ptrdiff_t begin) {
    FrontEnd one = from;
    one.offset = static_cast<int>(begin - base);
    return one;
  };
  const auto add = [&](const FrontEnd& one) {
    if (!(one == from) && std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
  };
  const auto shortened = [&](const FrontEnd& one) {
    if (rest > 0)
      for (const Fill fill : {Fill::kZero, Fill::kEdge, Fill::kZeroLast}) {
        FrontEnd part = one;
        part.fill = fill;
        // The last step that was read is also among its copies.
        part.kept = static_cast<int>(steps - rest + (fill == Fill::kEdge ? 1 : 0));
        add(part);
      }
    if (lead > 0)
      for (const Fill fill : {Fill::kZero, Fill::kEdge, Fill::kZeroLast}) {
        FrontEnd part = one;
        part.fill = fill;
        add(part);
      }
  };
  shortened(from);
  for (const auto& [at, begin] : begins) {
    add(with(begin));
    shortened(with(begin));
  }
  // A ring buffer: an offset before a seam, and after the seam one that is lower by a whole window.
  for (std::size_t p = 0; p + 1 < begins.size(); ++p) {
    const auto [at, begin] = begins[p];
    const auto [next_at, next_begin] = begins[p + 1];
    if (begin - next_begin != static_cast<std::ptrdiff_t>(steps) || next_at - at > kMostSeams)
      continue;
    for (std::size_t seam = at + 1; seam <= next_at + length && seam < steps; ++seam) {
      FrontEnd one = with(next_begin + static_cast<std::ptrdiff_t>(seam));
      one.roll = static_cast<int>(steps - seam);
      add(one);
    }
  }
  return out;
}

}  // namespace edgeprobe::diagnose::sensor
