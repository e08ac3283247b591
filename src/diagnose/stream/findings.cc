// SPDX-License-Identifier: Apache-2.0
#include "diagnose/stream/findings.h"

#include <algorithm>
#include <optional>

#include "diagnose/stream/stream.h"

namespace edgeprobe::diagnose::stream {
namespace {

using Parts = std::vector<Part>;

/// Minimum number of windows that establish a hop or a constant delay.
constexpr std::size_t kFewestWindows = 3;

/// Pieces of equal length at equal distances: rows lost in every chunk.
struct Comb {
  std::size_t rows = 0;  ///< Rows per piece.
  long lost = 0;         ///< Rows lost between two pieces; negative: repeated rows.

  bool operator==(const Comb&) const = default;
};
/// Minimum number of seams in a window that shows a comb.
constexpr std::size_t kFewestSeams = 2;

bool is_stream(const Part& part) { return part.kind == Part::Kind::kStream; }

std::optional<Comb> comb_of(const Parts& parts) {
  if (parts.size() < kFewestSeams + 1) return std::nullopt;
  // The first seam may follow data from before the stream.
  const std::size_t last = parts.size() - 1;
  const Comb comb{parts[last - 1].to - parts[last - 1].from,
                  parts[last].offset - parts[last - 1].offset};
  return comb.lost != 0 ? std::optional(comb) : std::nullopt;
}

/// True if a window has this comb throughout; its first and last piece may be cut. The first piece
/// may hold data from before the stream.
bool is_of(const Parts& parts, const Comb& comb) {
  if (parts.size() < 2) return false;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::size_t rows = parts[p].to - parts[p].from;
    const bool at_end = p == 0 || p + 1 == parts.size();
    if (p > 0 && (!is_stream(parts[p]) || (at_end ? rows > comb.rows : rows != comb.rows)))
      return false;
    if (p > 1 && parts[p].offset - parts[p - 1].offset != comb.lost) return false;
  }
  return true;
}

/// Offset of a window that is in one place as a whole.
std::optional<long> whole(const Parts& parts) {
  if (parts.size() == 1 && parts[0].kind == Part::Kind::kStream) return parts[0].offset;
  return std::nullopt;
}

bool is_whole(const Parts& parts, long offset) {
  return parts.size() == 1 && parts[0].kind == Part::Kind::kStream && parts[0].offset == offset;
}

class Judge {
 public:
  Judge(const Windows& all, const Places& places, const Stream& stream,
        const std::vector<Parts>& parts)
      : all_(all), places_(places), stream_(stream), parts_(parts) {
    out_.hop = places.hop;
    out_.breaks = places.breaks;
    for (std::size_t i = 0; i < all.all.size(); ++i) {
      const bool begins = i == 0 || all.all[i].begins ||
                          std::binary_search(places.breaks.begin(), places.breaks.end(), i);
      step_.push_back(begins ? 0 : step_.back() + 1);
    }
  }

  Findings run() {
    if (by_hop() || by_lateness() || by_comb()) return std::move(out_);
    one_by_one();
    as_one_where_random();
    return std::move(out_);
  }

 private:
  std::size_t size() const { return parts_.size(); }
  /// True if the whole window matches at this offset; silence may also match at its own place.
  bool lies_at(std::size_t i, long offset) const {
    if (is_whole(parts_[i], offset)) return true;
    return stream_.same_rows(all_.all[i].fed.data(), all_.rows, places_.begin[i] + offset) ==
           all_.rows;
  }
  bool is_right(std::size_t i) const { return is_whole(parts_[i], 0); }
  bool reaches_beyond(std::size_t i, long offset) const {
    std::size_t last = i;
    while (last + 1 < size() && step_[last + 1] > 0) ++last;
    const long begin = places_.begin[i] + offset, rows = static_cast<long>(all_.rows);
    return begin + rows > places_.begin[last] + rows || begin < places_.begin[i - step_[i]];
  }

  /// Each window is further along than the one before by the same number of extra rows.
  bool by_hop() {
    std::vector<long> apart;
    for (std::size_t i = 1; i < size(); ++i)
      if (const auto now = whole(parts_[i]), before = whole(parts_[i - 1]);
          step_[i] > 0 && now && before)
        apart.push_back(*now - *before);
    if (apart.size() + 1 < kFewestWindows) return false;
    std::nth_element(apart.begin(), apart.begin() + static_cast<std::ptrdiff_t>(apart.size() / 2),
                     apart.end());
    const long slope = apart[apart.size() / 2];
    if (slope == 0) return false;
    Finding finding{.kind = Kind::kHop, .rows = places_.hop + slope};
    for (std::size_t i = 0; i < size(); ++i) {
      const long wanted = slope * static_cast<long>(step_[i]);
      if (!lies_at(i, wanted) && !reaches_beyond(i, wanted)) return false;
      if (!is_right(i)) finding.windows.push_back(i);
    }
    out_.all.push_back(std::move(finding));
    return true;
  }

  /// All windows have the same offset, except those without predecessors.
  bool by_lateness() {
    std::optional<long> late;
    Finding finding{.kind = Kind::kLate};
    for (std::size_t i = 0; i < size(); ++i) {
      const auto offset = whole(parts_[i]);
      if (offset && *offset != 0 && !late) late = offset;
      if (late && lies_at(i, *late)) {
        if (!is_right(i)) finding.windows.push_back(i);
        continue;
      }
      if (step_[i] > 0 && !(late && reaches_beyond(i, *late))) return false;
    }
    if (!late || finding.windows.size() + 1 < kFewestWindows) return false;
    finding.rows = *late;
    // Windows beyond the stream have the same fault.
    for (std::size_t i = 0; i < size(); ++i)
      if (!is_right(i) && !lies_at(i, *late)) finding.windows.push_back(i);
    std::sort(finding.windows.begin(), finding.windows.end());
    out_.all.push_back(std::move(finding));
    return true;
  }

  /// Every window consists of pieces at equal distances. Windows with one seam count too; a filler
  /// may be anywhere at the beginning of a sequence.
  bool by_comb() {
    std::vector<Comb> combs;
    for (const Parts& parts : parts_)
      if (const auto one = comb_of(parts); one && is_of(parts, *one)) combs.push_back(*one);
    const auto times = [&](const Comb& comb) {
      return std::count(combs.begin(), combs.end(), comb);
    };
    const auto comb =
        std::max_element(combs.begin(), combs.end(),
                         [&](const Comb& a, const Comb& b) { return times(a) < times(b); });
    if (comb == combs.end() || times(*comb) < std::ptrdiff_t(kFewestWindows)) return false;
    Finding finding{.kind = Kind::kThinned, .rows = comb->lost, .row = comb->rows};
    for (std::size_t i = 0; i < size(); ++i) {
      if (is_right(i)) continue;
      if (step_[i] > 0 && !is_of(parts_[i], *comb)) return false;
      finding.windows.push_back(i);
    }
    out_.all.push_back(std::move(finding));
    return true;
  }

  void add(Kind kind, long rows, std::size_t row, std::size_t window, std::size_t end = 0) {
    for (Finding& one : out_.all)
      if (one.kind == kind) {
        if (one.windows.back() != window) one.windows.push_back(window);
        one.least = std::min(one.least, std::abs(rows));
        one.most = std::max(one.most, std::abs(rows));
        return;
      }
    const long size = std::abs(rows);
    out_.all.push_back({.kind = kind,
                        .rows = rows,
                        .row = row,
                        .end = end,
                        .windows = {window},
                        .least = size,
                        .most = size});
  }

  bool is_last(Kind kind, std::size_t window) const {
    return std::any_of(out_.all.begin(), out_.all.end(), [&](const Finding& one) {
      return one.kind == kind && one.windows.back() == window;
    });
  }
  /// Randomly placed windows sometimes look exchanged, lost or repeated.
  void as_one_where_random() {
    const auto of_kind = [](Kind kind) {
      return [kind](const Finding& one) { return one.kind == kind; };
    };
    const auto stale = std::find_if(out_.all.begin(), out_.all.end(), of_kind(Kind::kStale));
    if (stale == out_.all.end() || !stale->varies() || stale->windows.size() < kFewestWindows)
      return;
    Finding all = *stale;
    std::erase_if(out_.all, [&](const Finding& one) {
      if (one.kind != Kind::kStale && one.kind != Kind::kExchanged && one.kind != Kind::kDropped &&
          one.kind != Kind::kRepeated)
        return false;
      all.windows.insert(all.windows.end(), one.windows.begin(), one.windows.end());
      return true;
    });
    std::sort(all.windows.begin(), all.windows.end());
    all.windows.erase(std::unique(all.windows.begin(), all.windows.end()), all.windows.end());
    out_.all.insert(out_.all.begin(), std::move(all));
  }

  /// Two consecutive parts, both from the stream.
  static bool is_spliced(const Parts& parts) {
    return parts.size() == 2 && parts[0].kind == Part::Kind::kStream &&
           parts[1].kind == Part::Kind::kStream;
  }
  /// Blocks exchanged within a window: +d rows, then -d rows, the rest in place.
  static bool is_exchange(const Parts& parts, long level) {
    if (is_spliced(parts))
      return parts[0].offset > level && parts[0].offset - level == level - parts[1].offset;
    if (parts.size() < 3 || parts.size() > 4) return false;
    bool forward = false, backward = false;
    for (const Part& part : parts) {
      if (part.kind != Part::Kind::kStream) return false;
      forward = forward || part.offset > level;
      backward = backward || part.offset < level;
    }
    return forward && backward;
  }

  void one_by_one() {
    long level = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (step_[i] == 0) level = 0;
      const Parts& parts = parts_[i];
      const auto offset = whole(parts);
      const bool last = i + 1 == size() || step_[i + 1] == 0;
      const auto next_is = [&](long place) { return !last && is_whole(parts_[i + 1], place); };
      if (lies_at(i, level)) {
        // An earlier loss or repetition still shifts everything after it.
        if (!is_right(i)) add(level > 0 ? Kind::kDropped : Kind::kRepeated, level, 0, i);
      } else if (is_right(i)) {
        level = 0;
      } else if (offset) {
        const long by = *offset - level;
        const bool lost = !last && is_spliced(parts_[i + 1]) &&
                          parts_[i + 1][0].offset == *offset && parts_[i + 1][1].offset == level;
        if (lost) {
          // A block that never arrived leaves the window unchanged, and then causes a seam in it.
          add(by < 0 ? Kind::kDropped : Kind::kRepeated, -by, 0, i);
          i = splice(i + 1, level, true);
        } else if (by > 0 && next_is(level - by)) {
          add(Kind::kExchanged, by, 0, i);
          add(Kind::kExchanged, by, 0, i + 1);
          ++i;
        } else if (next_is(level) || last) {
          add(Kind::kStale, *offset, 0, i);
        } else if (next_is(*offset)) {
          add(by > 0 ? Kind::kDropped : Kind::kRepeated, by, 0, i);
          level = *offset;
        } else {
          add(Kind::kStale, *offset, 0, i);
        }
      } else if (parts.size() == 2 && parts[0].kind == Part::Kind::kZero &&
                 parts[1].kind == Part::Kind::kStream && parts[1].offset == level) {
        if (step_[i] > 0) add(Kind::kNoContext, 0, parts[0].to, i);
        else out_.unexplained.push_back(i);
      } else if (is_exchange(parts, level)) {
        const auto moved = std::find_if(parts.begin(), parts.end(),
                                        [&](const Part& p) { return p.offset != level; });
        add(Kind::kExchanged, moved->offset - level, moved->from, i);
      } else if (is_spliced(parts)) {
        i = splice(i, level, false);
      } else {
        out_.unexplained.push_back(i);
      }
    }
  }

  /// A seam that moves along with the stream belongs to the stream; one in a single window belongs
  /// to that window. Returns the last window covered.
  std::size_t splice(std::size_t i, long& level, bool of_stream) {
    const Part &head = parts_[i][0], &tail = parts_[i][1];
    std::size_t end = i + 1;
    while (end < size() && step_[end] > 0 && is_spliced(parts_[end]) &&
           parts_[end][0].offset == head.offset && parts_[end][1].offset == tail.offset &&
           static_cast<long>(parts_[end][0].to) ==
               static_cast<long>(head.to) - places_.hop * static_cast<long>(end - i))
      ++end;
    const long by = tail.offset - head.offset;
    const bool moves = of_stream || end - i > 1 ||
                       (end < size() && step_[end] > 0 && is_whole(parts_[end], tail.offset) &&
                        tail.offset != level);
    const bool after_exchange =
        i > 0 && step_[i] > 0 && !out_.all.empty() && is_last(Kind::kExchanged, i - 1);
    const bool before_exchange =
        end < size() && step_[end] > 0 && is_exchange(parts_[end], level) && end == i + 1;
    if ((before_exchange || after_exchange) && (head.offset == level || tail.offset == level)) {
      const Part& wrong = head.offset != level ? head : tail;
      for (std::size_t k = i; k < end; ++k)
        add(Kind::kExchanged, wrong.offset - level, wrong.from, k);
      return end - 1;
    }
    if (!moves) {
      const Part& wrong = head.offset != level ? head : tail;
      add(Kind::kHalfWritten, wrong.offset - level, wrong.from, i, wrong.to);
      return i;
    }
    for (std::size_t k = i; k < end; ++k)
      add(by > 0 ? Kind::kDropped : Kind::kRepeated, by, parts_[k][0].to, k);
    level = tail.offset;
    return end - 1;
  }

  const Windows& all_;
  const Places& places_;
  const Stream& stream_;
  const std::vector<Parts>& parts_;
  std::vector<std::size_t> step_;  ///< Step of each window within its sequence.
  Findings out_;
};

}  // namespace

Findings findings_of(const Windows& windows) {
  const Places places = places_of(windows);
  const Stream stream(windows, places);
  const auto parts = parts_of(windows, places, stream);
  return Judge(windows, places, stream, parts).run();
}

}  // namespace edgeprobe::diagnose::stream
