// SPDX-License-Identifier: Apache-2.0
#include "bisect/runs.h"

#include <algorithm>
#include <vector>

namespace edgeprobe::bisect {
namespace {

using MaybeWrong = std::optional<Wrong>;

// An operator counts as one of many if others reach this fraction of its error.
constexpr double kComparable = 0.1;
// Less precise arithmetic changes an operator by less than this many limits: 1e-2 of the RMS.
constexpr double kImprecise = 100;
// Numbers of other operators that are tried separately.
constexpr std::size_t kOtherTypes = 3, kSameType = 2;

MaybeWrong none(Runs& runs) {
  runs.found.outcome = Outcome::kDrifts;
  return std::nullopt;
}

struct Elsewhere {
  /// Number of segments compared, and of those with an error as large as the unit's.
  std::size_t segments = 0, beyond = 0;
};

// The device's errors in the segments between executed cuts, except for the unit's own.
Result<Elsewhere> elsewhere(Runs& runs, int start, int unit, const Probes& probes, double error) {
  Elsewhere found;
  Seen before;
  before.from = before.to = start;
  for (const auto& [cut, seen] : probes) {
    if (cut <= start) continue;
    if (!(before.to <= unit && unit < cut)) {
      EP_TRY(auto residue, runs.box.residue(before, seen));
      ++found.segments;
      found.beyond += residue > 1 && residue > kComparable * error;
    }
    before = seen;
  }
  return found;
}

bool is_known(const Found& found, int unit) {
  return std::any_of(found.wrong.begin(), found.wrong.end(),
                     [&](const Wrong& wrong) { return wrong.first <= unit && unit <= wrong.last; });
}

// The nearest units of other types and of the same type.
std::vector<int> others_to_try(const Runs& runs, int unit) {
  std::vector<int> others;
  std::size_t left_other = kOtherTypes, left_same = kSameType;
  for (int distance = 1; distance < runs.units; ++distance)
    for (const int other : {unit - distance, unit + distance}) {
      if (other < 0 || other >= runs.units || is_known(runs.found, other)) continue;
      std::size_t& left = runs.box.type(other) == runs.box.type(unit) ? left_same : left_other;
      if (left == 0) continue;
      --left;
      others.push_back(other);
    }
  return others;
}

// False (one of many) if most of the other types are as far off, or its own type is and the error
// is small enough for less precise arithmetic.
Result<bool> is_single(Runs& runs, int unit, double error, Wrong& wrong) {
  std::size_t tried[2] = {}, off[2] = {};  // Numbers of units of other types, and of the same type.
  for (const int other : others_to_try(runs, unit)) {
    EP_TRY(auto seen, runs.device(other, other + 1));
    if (!seen.refused.empty()) continue;
    const bool same = runs.box.type(other) == runs.box.type(unit);
    ++tried[same];
    off[same] += seen.excess > 1 && seen.excess > kComparable * error;
  }
  runs.found.tried_alone += tried[0] + tried[1];
  runs.found.beyond_alone += off[0] + off[1];
  wrong.same_type = off[1];
  if (tried[0] > 0 && 2 * off[0] >= tried[0]) return false;
  if (off[1] == 0) return true;
  return tried[0] > 0 && (runs.box.rounds() || error > kImprecise);
}

// The unit is right by itself, but the error begins at it in the whole model.
Result<MaybeWrong> in_company(Runs& runs, int start, int unit, const Probes& probes) {
  Seen before;
  before.from = before.to = start;
  const auto earlier = probes.find(unit), after = probes.find(unit + 1);
  if (after == probes.end() || (unit != start && earlier == probes.end())) return none(runs);
  if (unit != start) before = earlier->second;
  EP_TRY(auto residue, runs.box.residue(before, after->second));
  if (residue <= 1) return none(runs);
  for (const auto& pair :
       {std::pair(unit - 1, unit), std::pair(unit, unit + 1), std::pair(unit - 2, unit)}) {
    if (pair.first < 0 || pair.second >= runs.units) continue;
    EP_TRY(auto seen, runs.device(pair.first, pair.second + 1));
    if (!seen.refused.empty() || seen.excess <= 1) continue;
    return MaybeWrong(
        {pair.first, pair.second, Certainty::kTogether, seen.excess, seen.gap, {}, 0});
  }
  return MaybeWrong({unit, unit, Certainty::kInside, residue, after->second.gap, {}, 0});
}

}  // namespace

Result<std::optional<Wrong>> confirmed(Runs& runs, int start, int unit, const Probes& probes) {
  Seen alone;
  const auto known = probes.find(unit + 1);
  if (start == unit && known != probes.end()) {
    alone = known->second;
  } else {
    EP_TRY(alone, runs.device(unit, unit + 1));
  }
  if (!alone.refused.empty())
    runs.found.notes.push_back("the device does not run " + runs.box.name(unit) + " alone (" +
                               alone.refused + ")");
  if (!alone.refused.empty() || alone.excess <= 1) return in_company(runs, start, unit, probes);
  EP_TRY(auto other, elsewhere(runs, start, unit, probes, alone.excess));
  Wrong wrong{unit, unit, Certainty::kAlone, alone.excess, alone.gap, {}, 0};
  // If half of the segments elsewhere are as far off, the operator may be one of many. If the error
  // is small enough for less precise arithmetic, a single one elsewhere suffices.
  const bool imprecise = !runs.box.rounds() && alone.excess <= kImprecise;
  const bool others_off = 2 * other.beyond >= other.segments || (imprecise && other.beyond > 0);
  if (runs.units > 1 && (other.segments == 0 || others_off)) {
    EP_TRY(auto single, is_single(runs, unit, alone.excess, wrong));
    if (!single) return none(runs);
  }
  return MaybeWrong(std::move(wrong));
}

}  // namespace edgeprobe::bisect
