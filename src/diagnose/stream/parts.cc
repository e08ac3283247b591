// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "diagnose/stream/stream.h"

namespace edgeprobe::diagnose::stream {
namespace {

/// Minimum number of values in a piece, so that it only matches at its place, and of its rows.
constexpr std::size_t kPieceValues = 24, kPieceRows = 3;

bool is_zero(const Windows& all, const float* row) {
  for (std::size_t c = 0; c < all.columns; ++c)
    if (row[c] != 0) return false;
  return true;
}

std::size_t zeros_from(const Windows& all, const float* rows, std::size_t count) {
  std::size_t n = 0;
  while (n < count && is_zero(all, rows + n * all.columns)) ++n;
  return n;
}

/// Merges parts that also match at their neighbour's offset: silence is everywhere.
void merge(const Stream& stream, const float* fed, std::size_t columns, long begin,
           std::vector<Part>& parts) {
  const auto lies_at = [&](const Part& part, long offset) {
    const std::size_t rows = part.to - part.from;
    return stream.same_rows(fed + part.from * columns, rows,
                            begin + static_cast<long>(part.from) + offset) == rows;
  };
  for (std::size_t p = 0; p < parts.size() && parts.size() > 1;) {
    std::size_t into = parts.size();
    for (const std::size_t other : {p + 1, p - 1})
      if (other < parts.size() && parts[other].kind == Part::Kind::kStream &&
          parts[p].kind != Part::Kind::kUnknown && lies_at(parts[p], parts[other].offset) &&
          (into == parts.size() ||
           parts[other].to - parts[other].from > parts[into].to - parts[into].from))
        into = other;
    if (into == parts.size()) {
      ++p;
      continue;
    }
    parts[into].from = std::min(parts[into].from, parts[p].from);
    parts[into].to = std::max(parts[into].to, parts[p].to);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(p));
    p = 0;
    for (std::size_t q = 0; q + 1 < parts.size();)
      if (parts[q].kind == parts[q + 1].kind && parts[q].offset == parts[q + 1].offset) {
        parts[q].to = parts[q + 1].to;
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(q) + 1);
      } else {
        ++q;
      }
  }
}

std::vector<Part> parts(const Windows& all, const Stream& stream, const float* fed, long begin) {
  const std::size_t piece =
      std::min(all.rows, std::max(kPieceRows, (kPieceValues + all.columns - 1) / all.columns));
  std::vector<Part> out;
  const auto add = [&](std::size_t from, std::size_t to, Part::Kind kind, long offset) {
    if (!out.empty() && out.back().kind == kind &&
        (kind != Part::Kind::kStream || out.back().offset == offset))
      out.back().to = to;
    else out.push_back({from, to, kind, offset});
  };
  std::size_t t = 0;
  while (t < all.rows) {
    const float* const rows = fed + t * all.columns;
    const std::size_t left = all.rows - t, wanted = std::min(piece, left);
    const long own = begin + static_cast<long>(t);
    std::size_t taken = stream.same_rows(rows, left, own);
    long offset = 0;
    if (taken < wanted && !out.empty() && out.back().kind == Part::Kind::kStream) {
      const std::size_t more = stream.same_rows(rows, left, own + out.back().offset);
      if (more >= wanted) taken = more, offset = out.back().offset;
    }
    if (taken < wanted && zeros_from(all, rows, wanted) == wanted) {
      // Zeros match any silence of the stream, so they do not show a place.
      add(t, t + wanted, Part::Kind::kZero, 0);
      t += wanted;
      continue;
    }
    if (taken < wanted) {
      taken = 0;
      for (const long place : stream.find(rows, wanted, own))
        if (const std::size_t more = stream.same_rows(rows, left, place); more > taken) {
          taken = more;
          offset = place - own;
        }
    }
    if (taken >= wanted &&
        (wanted == piece || offset == 0 || (!out.empty() && out.back().offset == offset))) {
      add(t, t + taken, Part::Kind::kStream, offset);
      t += taken;
      continue;
    }
    add(t, t + 1, is_zero(all, rows) ? Part::Kind::kZero : Part::Kind::kUnknown, 0);
    ++t;
  }
  const bool own = out.size() == 1 && out[0].offset == 0;
  if (!own) merge(stream, fed, all.columns, begin, out);
  // The stream has no rows beyond its end to match.
  if (out.size() > 1 && out.back().kind != Part::Kind::kStream) {
    const Part& before = out[out.size() - 2];
    if (before.kind == Part::Kind::kStream && before.offset > 0 &&
        !stream.at(begin + static_cast<long>(before.to) + before.offset)) {
      out[out.size() - 2].to = out.back().to;
      out.pop_back();
    }
  }
  return out;
}

}  // namespace

std::vector<std::vector<Part>> parts_of(const Windows& windows, const Places& places,
                                        const Stream& stream) {
  std::vector<std::vector<Part>> out;
  for (std::size_t i = 0; i < windows.all.size(); ++i)
    out.push_back(parts(windows, stream, windows.all[i].fed.data(), places.begin[i]));
  return out;
}

}  // namespace edgeprobe::diagnose::stream
