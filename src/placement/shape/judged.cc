// SPDX-License-Identifier: Apache-2.0
#include "placement/shape/judged.h"

#include <algorithm>

#include "core/text.h"
#include "stats/quantile.h"

namespace edgeprobe::placement::shape {
namespace {

std::string time_text(double seconds) { return number(seconds * 1e3, 4) + " ms"; }

bool is_own(Role role) { return role == Role::kBase || role == Role::kSplit; }

/// The fastest known one of one kind, or the fastest one if none is known; null if none runs.
const Judged* fastest(const std::vector<Judged>& ways, bool own) {
  const Judged* best = nullptr;
  for (const Judged& way : ways) {
    if (!way.figure || !(own ? is_own(way.role) : way.role == Role::kBranched)) continue;
    const bool known = is_known(way.figure), best_known = best && is_known(best->figure);
    if (!best || (known && !best_known) ||
        (known == best_known && way.figure->median < best->figure->median))
      best = &way;
  }
  return best;
}

std::string few(const Judged& way) {
  return way.name + " has " + std::to_string(way.figure->quiet) + " of " +
         std::to_string(way.figure->processes) + " processes with " + std::to_string(kFewestQuiet) +
         " quiet runs, and " + std::to_string(kFewestProcesses) + " are needed";
}

}  // namespace

const char* name(Role role) {
  switch (role) {
    case Role::kBase: return "base";
    case Role::kSplit: return "split";
    case Role::kNarrowed: return "narrowed";
    case Role::kBranched: break;
  }
  return "branched";
}

std::optional<Figure> figure_of(const std::vector<Timing>& processes) {
  if (processes.empty()) return std::nullopt;
  std::vector<double> quiet, all;
  for (const Timing& timing : processes) {
    all.push_back(timing.median);
    if (timing.quiet >= kFewestQuiet) quiet.push_back(timing.median);
  }
  Figure figure;
  figure.quiet = quiet.size();
  figure.processes = all.size();
  std::vector<double>& told = quiet.size() >= kFewestProcesses ? quiet : all;
  std::sort(told.begin(), told.end());
  figure.median = stats::quantile(told, 0.5);
  figure.low = told.front();
  figure.high = told.back();
  return figure;
}

Answer judge(const std::vector<Judged>& ways) {
  Answer answer;
  const Judged* const base = fastest(ways, true);
  const Judged* const branched = fastest(ways, false);
  if (!base || !branched) {
    answer.text = std::string("undecided: ") + (base ? "no branched network" : "the base") +
                  " could be measured";
    return answer;
  }
  const bool is_faster = is_known(base->figure) && is_known(branched->figure) &&
                         branched->figure->high < base->figure->low;
  // Disturbance only slows a way down, so any way without quiet processes may be the fastest. Of
  // branched networks one that is known to be faster is enough.
  for (const Judged& way : ways)
    if (way.figure && way.role != Role::kNarrowed && !is_known(way.figure) &&
        (is_own(way.role) || !is_faster)) {
      answer.text = "undecided: " + few(way) +
                    "; give more --seconds or --rounds, or a quieter "
                    "machine";
      return answer;
    }
  answer.is_decided = true;
  answer.branches = is_faster;
  const Judged* const chosen = answer.branches ? branched : base;
  answer.chosen = static_cast<std::size_t>(chosen - ways.data());
  const std::string base_text = base->name + " takes " + time_text(base->figure->median);
  const std::string branched_text =
      branched->name + " takes " + time_text(branched->figure->median);
  if (answer.branches)
    answer.text = "branch: " + branched_text + "; " + base_text + ", " +
                  number(base->figure->median / branched->figure->median, 3) + " times as long";
  else
    answer.text =
        "do not branch: " + base_text + "; the fastest branched network, " + branched_text +
        (branched->figure->low <= base->figure->high && base->figure->low <= branched->figure->high
             ? ", and the ranges of the two overlap"
             : "");
  return answer;
}

}  // namespace edgeprobe::placement::shape
