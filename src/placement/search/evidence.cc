// SPDX-License-Identifier: Apache-2.0
#include "placement/search/evidence.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "stats/quantile.h"

namespace edgeprobe::placement {
namespace {

/// Processes whose medians differ by more than this have other modes.
constexpr double kModeGap = 0.10;
constexpr std::size_t kMostModes = 3;
/// Share of processes in one mode from which the others are exceptions.
constexpr double kUsual = 0.75;
/// Bound of the gap between the modes of a pool.
constexpr double kModesApart = 0.4;
/// A disturbed way may be faster than its figures by these factors, not more: caches and spinning
/// threads add to its CPU time; without CPU time, only the latency is known.
constexpr double kMostCpuAdded = 3, kMostDisturbed = 10;

bool counts(const Timing& timing, std::size_t threads) {
  const bool waited =
      threads > 0 && timing.core_seconds > 0 && timing.median > kMostWaiting * timing.core_seconds;
  return timing.quiet >= kFewestOfProcess && !waited;
}

template <class Member>
std::vector<double> sorted(const std::vector<Timing>& timings, Member member) {
  std::vector<double> values;
  for (const Timing& timing : timings) values.push_back(timing.*member);
  std::sort(values.begin(), values.end());
  return values;
}

template <class Member>
double middle(const std::vector<Timing>& timings, Member member) {
  return stats::quantile(sorted(timings, member), 0.5);
}

/// Outer values to leave out on each side of n for an interval of the median that covers 95 %.
std::size_t left_out(std::size_t n) {
  double tail = std::pow(0.5, static_cast<double>(n));  // Of the binomial distribution.
  double term = tail;
  std::size_t out = 0;
  while (2 * tail <= 0.05) {
    ++out;
    term *= static_cast<double>(n - out + 1) / static_cast<double>(out);
    tail += term;
  }
  return out > 0 ? out - 1 : 0;
}

std::vector<Mode> modes_of(const std::vector<double>& medians) {
  std::vector<Mode> modes;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= medians.size(); ++i) {
    if (i < medians.size() && medians[i] <= (1 + kModeGap) * medians[i - 1]) continue;
    const std::vector<double> part(medians.begin() + static_cast<std::ptrdiff_t>(begin),
                                   medians.begin() + static_cast<std::ptrdiff_t>(i));
    modes.push_back({stats::quantile(part, 0.5), part.size()});
    begin = i;
  }
  return modes;
}

using All = std::vector<std::optional<Evidence>>;

All all_evidence(const std::vector<Way>& ways) {
  All all;
  for (const Way& way : ways) all.push_back(evidence_of(way));
  return all;
}

/// The way with the lowest median, with evidence if any has it.
std::optional<std::size_t> best_of(const std::vector<Way>& ways, const All& all, bool plain) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (ways[i].is_plain != plain || !all[i]) continue;
    const bool proved = all[i]->is_enough(), better = best && all[*best]->is_enough();
    if (!best || proved > better || (proved == better && all[i]->median < all[*best]->median))
      best = i;
  }
  return best;
}

/// The lowest time that a way may have.
double floor_of(const Way& way, const Evidence& evidence) {
  // Other processes of a pool may be of a faster mode.
  if (evidence.is_enough())
    return way.is_pool && evidence.quiet_processes < kFewestOfPool
               ? *evidence.low / (1 + kModesApart)
               : *evidence.low;
  if (way.threads > 0 && evidence.core_seconds > 0)
    return evidence.core_seconds / static_cast<double>(way.threads) / kMostCpuAdded;
  return evidence.median / kMostDisturbed;
}

/// True if some way with evidence is faster than this one can be.
bool is_beaten(const std::vector<Way>& ways, const All& all, std::size_t index) {
  const double floor = floor_of(ways[index], *all[index]);
  return std::any_of(all.begin(), all.end(), [&](const std::optional<Evidence>& other) {
    return other && &other != &all[index] && other->is_enough() && *other->high < floor;
  });
}

std::size_t fewest(const std::vector<Way>& ways, const All& all, std::size_t index) {
  if (!ways[index].is_pool) return kFewestProcesses;
  const Evidence& own = *all[index];
  if (!own.is_enough()) return kFewestProcesses;
  const double low = *own.low / (1 + kModesApart), high = *own.high * (1 + kModesApart);
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (i != index && all[i] && all[i]->high.value_or(all[i]->median) >= low &&
        floor_of(ways[i], *all[i]) <= high)
      return kFewestOfPool;
  return kFewestProcesses;
}

}  // namespace

std::optional<Evidence> evidence_of(const Way& way) {
  if (way.processes.empty()) return std::nullopt;
  Evidence evidence;
  evidence.processes = way.processes.size();
  std::vector<Timing> counted;
  std::size_t quiet = 0;
  for (const Timing& timing : way.processes) {
    evidence.quiet += timing.quiet;
    evidence.runs += timing.runs;
    if (!counts(timing, way.threads)) continue;
    counted.push_back(timing);
    quiet += timing.quiet;
  }
  evidence.quiet_processes = counted.size();
  const std::vector<Timing>& told = counted.empty() ? way.processes : counted;
  evidence.median = middle(told, &Timing::median);
  evidence.p10 = middle(told, &Timing::p10);
  evidence.p90 = middle(told, &Timing::p90);
  evidence.core_seconds = middle(told, &Timing::core_seconds);
  evidence.modes = modes_of(sorted(told, &Timing::median));
  if (counted.size() >= kFewestProcesses && quiet >= kFewestQuiet) {
    const std::size_t out = left_out(counted.size());
    evidence.low = sorted(counted, &Timing::low)[out];
    evidence.high = sorted(counted, &Timing::high)[counted.size() - 1 - out];
    evidence.usual_low = *evidence.low;
    evidence.usual_high = *evidence.high;
    if (counted.size() >= kFewestOfUsual) {
      const std::vector<double> medians = sorted(counted, &Timing::median);
      evidence.usual_low = medians[medians.size() / 3];
      evidence.usual_high = medians[medians.size() - 1 - medians.size() / 3];
    }
  }
  return evidence;
}

bool has_modes(const Evidence& evidence) {
  std::size_t all = 0, most = 0;
  for (const Mode& mode : evidence.modes) {
    all += mode.processes;
    most = std::max(most, mode.processes);
  }
  return static_cast<double>(most) < kUsual * static_cast<double>(all);
}

std::string modes_text(const Evidence& evidence) {
  const auto time = [](double seconds) { return number(seconds * 1e3, 4) + " ms"; };
  if (!has_modes(evidence)) return time(evidence.median);
  if (evidence.modes.size() > kMostModes)
    return time(evidence.modes.front().seconds) + " to " + time(evidence.modes.back().seconds);
  std::size_t all = 0;
  for (const Mode& mode : evidence.modes) all += mode.processes;
  std::string text;
  for (std::size_t i = 0; i < evidence.modes.size(); ++i)
    text += (i == 0                           ? ""
             : i + 1 == evidence.modes.size() ? " and "
                                              : ", ") +
            time(evidence.modes[i].seconds) + " in " + std::to_string(evidence.modes[i].processes) +
            " of " + std::to_string(all) + (i == 0 ? " processes" : "");
  return text;
}

std::size_t fewest_processes(const std::vector<Way>& ways, std::size_t index) {
  const All all = all_evidence(ways);
  return all[index] ? fewest(ways, all, index) : kFewestProcesses;
}

Verdict judge(const std::vector<Way>& ways) {
  const All all = all_evidence(ways);
  Verdict verdict;
  verdict.plain = best_of(ways, all, true);
  verdict.division = best_of(ways, all, false);
  if (!verdict.plain) return verdict;
  const Evidence& plain = *all[*verdict.plain];
  std::vector<std::size_t> lacking_plain, lacking_division, close;
  bool beats = verdict.division && all[*verdict.division]->is_enough();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (!all[i] || is_beaten(ways, all, i)) continue;
    const Evidence& own = *all[i];
    const bool lacks = !own.is_enough() || own.quiet_processes < fewest(ways, all, i);
    if (lacks) (ways[i].is_plain ? lacking_plain : lacking_division).push_back(i);
    if (ways[i].is_plain)
      beats = beats && own.is_enough() && *all[*verdict.division]->high < *own.low;
    // Without evidence it is already among those that lack it.
    else if (own.is_enough() && plain.is_enough() &&
             plain.usual_high / own.usual_low > 1 + kWorthBranching)
      close.push_back(i);
  }
  verdict.lacking = lacking_plain;
  if (beats && lacking_plain.empty()) {
    verdict.kind = Verdict::Kind::kBranch;
  } else if (lacking_plain.empty() && lacking_division.empty() && close.empty()) {
    verdict.kind = Verdict::Kind::kDoNotBranch;
  } else {
    verdict.lacking.insert(verdict.lacking.end(), lacking_division.begin(), lacking_division.end());
  }
  verdict.open = verdict.lacking;
  const auto add = [&](std::size_t index) {
    if (std::find(verdict.open.begin(), verdict.open.end(), index) == verdict.open.end())
      verdict.open.push_back(index);
  };
  if (verdict.kind == Verdict::Kind::kUndecided) {
    for (const std::size_t index : close) add(index);
    if (!close.empty())
      for (std::size_t i = 0; i < ways.size(); ++i)
        if (ways[i].is_plain && all[i] && !is_beaten(ways, all, i)) add(i);
  } else {
    // Another way of the same kind may be faster than the chosen one.
    const bool branches = verdict.kind == Verdict::Kind::kBranch;
    const std::size_t chosen = branches ? *verdict.division : *verdict.plain;
    for (std::size_t i = 0; i < ways.size(); ++i)
      if (i != chosen && ways[i].is_plain != branches && all[i] && all[i]->is_enough() &&
          all[chosen]->usual_high / all[i]->usual_low > 1 + kWorthBranching) {
        add(i);
        add(chosen);
      }
  }
  std::sort(verdict.open.begin(), verdict.open.end());
  return verdict;
}

}  // namespace edgeprobe::placement
