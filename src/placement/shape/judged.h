// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "placement/search/timing.h"

namespace edgeprobe::placement::shape {

/// Processes of a way that its figures rest on: those with kFewestQuiet quiet runs.
inline constexpr std::size_t kFewestProcesses = 3;

enum class Role {
  kBase,      ///< The base, unmodified: one thread, or all cores.
  kSplit,     ///< The base with its layers split over the processors: the same outputs.
  kNarrowed,  ///< The base with smaller widths.
  kBranched,
};
/// "base", "split", "narrowed", "branched".
const char* name(Role role);

/// Seconds over the processes that count.
struct Figure {
  double median = 0, low = 0, high = 0;  ///< Of the medians of the processes.
  std::size_t quiet = 0, processes = 0;  ///< Processes that count, and all of them.
};
/// With fewer than kFewestProcesses that count, of all processes. Empty for none.
std::optional<Figure> figure_of(const std::vector<Timing>& processes);
inline bool is_known(const std::optional<Figure>& figure) {
  return figure && figure->quiet >= kFewestProcesses;
}

struct Judged {
  std::string name;
  Role role = Role::kBase;
  std::optional<Figure> figure;  ///< Empty: it does not run.
};

struct Answer {
  bool is_decided = false, branches = false;
  std::optional<std::size_t> chosen;  ///< The fastest way; empty while undecided.
  std::string text;                   ///< One sentence.
};

/// Branch if the fastest branched network is faster than everything that the base can do, by
/// figures whose ranges do not touch; do not branch if it is not; undecided while a way that may
/// change that has too few quiet processes.
Answer judge(const std::vector<Judged>& ways);

}  // namespace edgeprobe::placement::shape
