// SPDX-License-Identifier: Apache-2.0
#include "bisect/runs.h"

namespace edgeprobe::bisect {
namespace {

// End of the segment after found operator `w`.
int next_wrong(const Runs& runs, std::size_t w) {
  const auto& wrong = runs.found.wrong;
  return w + 1 < wrong.size() ? wrong[w + 1].first : runs.units;
}

bool is_right(const Runs& runs, int from, int to) {
  if (from == to) return true;
  const auto seen = runs.known(from, to);
  return seen && seen->refused.empty() && seen->excess <= 1;
}

bool all_right(const Runs& runs) {
  const auto& wrong = runs.found.wrong;
  bool right = is_right(runs, 0, wrong.front().first);
  for (std::size_t w = 0; w < wrong.size(); ++w)
    right = right && is_right(runs, wrong[w].last + 1, next_wrong(runs, w));
  return right;
}

}  // namespace

Status measure_repair(Runs& runs) {
  Found& found = runs.found;
  const int last = found.wrong.back().last + 1;
  if (all_right(runs)) {
    const auto rest = runs.known(last, runs.units);
    found.repaired = true;
    found.repaired_gap = rest ? rest->gap : 0;
    return {};
  }
  Seen now;
  if (found.wrong.front().first > 0) {
    EP_TRY(now, runs.device(0, found.wrong.front().first));
  }
  for (std::size_t w = 0; w < found.wrong.size() && now.refused.empty(); ++w) {
    EP_TRY(now, runs.resumed(now, found.wrong[w].last + 1, next_wrong(runs, w)));
  }
  if (!now.refused.empty()) {
    found.notes.push_back(
        "the repair was not measured: the device refuses a part around the found "
        "operators (" +
        now.refused + ")");
    return {};
  }
  found.repaired_gap = now.gap;
  found.repaired = now.excess <= 1;
  return {};
}

}  // namespace edgeprobe::bisect
