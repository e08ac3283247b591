// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "core/text.h"
#include "diagnose/tensors/changes.h"
#include "diagnose/tensors/where.h"

namespace edgeprobe::diagnose::tensors {
namespace {

/// Largest delay of an input in frames, and largest number of frames searched for another order.
constexpr long kMostLate = 16;
constexpr std::size_t kMostFrames = 1000;
/// Minimum number of values in all frames together that establish a filler.
constexpr std::size_t kFewestFilled = 12;
/// Minimum number of distinct values that can show a frame order if each frame has a single value.
constexpr std::size_t kFewestValues = 4;

bool holds(const Pairs& pairs, std::size_t at, std::size_t from) {
  const std::vector<float>&fed = pairs.all[at].fed, &wanted = pairs.all[from].wanted;
  for (std::size_t i = 0; i < fed.size(); ++i)
    if (!(std::abs(double(fed[i]) - double(wanted[i])) <= pairs.same)) return false;
  return true;
}

// A constant input would match any silence.
bool varies(const Pair& pair) {
  return std::any_of(pair.fed.begin(), pair.fed.end(),
                     [&](float value) { return value != pair.fed.front(); });
}

// True if at least half of these frames differ from others. Frames with a single value count if
// there are several distinct values.
bool are_telling(const Pairs& pairs) {
  std::set<float> values;
  std::size_t telling = 0;
  for (const std::size_t at : pairs.differs) {
    values.insert(pairs.all[at].fed.front());
    telling += varies(pairs.all[at]);
  }
  return pairs.values() == 1 ? values.size() >= kFewestValues : 2 * telling >= pairs.differs.size();
}

std::string frame_of(const Pairs& pairs, std::size_t at) {
  return "frame " + std::to_string(pairs.all[at].frame);
}

}  // namespace

std::optional<Change> other_frame(const Pairs& pairs) {
  const std::size_t size = pairs.all.size();
  if (size < 2 || size > kMostFrames || pairs.differs.empty() || !are_telling(pairs))
    return std::nullopt;
  const auto explained_by = [&](long late) {
    std::vector<std::size_t> open;
    for (const std::size_t at : pairs.differs) {
      const long from = long(at) - late;
      if (from < 0 || from >= long(size) || !holds(pairs, at, std::size_t(from)))
        open.push_back(at);
    }
    return open;
  };
  for (long by = 1; by <= std::min(kMostLate, long(size) - 1); ++by)
    for (const long late : {by, -by}) {
      // No frame contains the input from before the first frame, or from before a sequence.
      const auto open = explained_by(late);
      const bool at_ends = std::all_of(open.begin(), open.end(), [&](std::size_t at) {
        const long from = long(at) - late;
        if (from < 0 || from >= long(size)) return true;
        for (long k = 0; k < late; ++k)
          if (pairs.all[at - std::size_t(k)].begins) return true;
        return false;
      });
      if (!at_ends || open.size() + 2 > pairs.differs.size()) continue;
      return Change{
          CauseKind::kOtherFrame,
          "is that of " +
              (by == 1 ? std::string("the frame ") : counted(std::size_t(by), "frame") + " ") +
              (late > 0 ? "before" : "after")};
    }
  std::vector<std::pair<std::size_t, std::size_t>> origins;
  for (const std::size_t at : pairs.differs) {
    std::size_t from = 0;
    while (from < size && (from == at || !holds(pairs, at, from))) ++from;
    if (from == size || !varies(pairs.all[at])) return std::nullopt;
    origins.emplace_back(at, from);
  }
  const auto [at, from] = origins.front();
  const bool stuck = origins.size() > 1 &&
                     std::all_of(origins.begin(), origins.end(),
                                 [&, first = from](const auto& o) { return o.second == first; });
  return Change{CauseKind::kOtherFrame, stuck ? "is always that of " + frame_of(pairs, from)
                                              : "is that of another frame: " + frame_of(pairs, at) +
                                                    " has the reference's of " +
                                                    frame_of(pairs, from)};
}

std::optional<Change> not_written(const Pairs& pairs) {
  std::optional<float> filler;
  for (const std::size_t at : pairs.differs)
    for (std::size_t i = 0; i < pairs.values(); ++i) {
      const float fed = pairs.all[at].fed[i];
      if (std::abs(double(fed) - double(pairs.all[at].wanted[i])) <= pairs.same) continue;
      if (filler && *filler != fed) return std::nullopt;
      filler = fed;
    }
  if (!filler) return std::nullopt;
  // A position that differs in some frame must be filled in all differing frames; where it does not
  // differ, the reference equals the filler by chance.
  const Where where = where_of(pairs);
  const std::vector<bool>& open = where.held;
  const auto held = std::size_t(std::count(open.begin(), open.end(), true));
  // A value that fills all frames completely is not a part of an input.
  const bool whole = held == pairs.values();
  if (held < 2 || (whole && pairs.differs.size() == pairs.all.size()) ||
      pairs.differs.size() * held < kFewestFilled)
    return std::nullopt;
  for (const std::size_t at : pairs.differs)
    for (std::size_t i = 0; i < pairs.values(); ++i)
      if (open[i] && pairs.all[at].fed[i] != *filler) return std::nullopt;
  const bool zero = pairs.codes && pairs.codes->scale > 0 && *filler == pairs.codes->zero;
  if (whole)
    return Change{CauseKind::kEmptyInput,
                  "is " + number(*filler) + " in all values; the other frames are the reference's"};
  std::vector<std::string> others = {"this part of the input is never written"};
  if (pairs.codes && (*filler == pairs.codes->least || *filler == pairs.codes->most))
    others.push_back("its values lie beyond the codes' range");
  return Change{CauseKind::kWindow,
                "is " + number(*filler) + (zero && *filler != 0 ? " (the code of 0)" : "") +
                    " in " + place_of(where) + "; all other values are the reference's",
                std::move(others)};
}

}  // namespace edgeprobe::diagnose::tensors
