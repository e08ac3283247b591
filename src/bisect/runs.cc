// SPDX-License-Identifier: Apache-2.0
#include "bisect/runs.h"

#include <algorithm>

namespace edgeprobe::bisect {
namespace {

std::size_t expected_runs(int units) {
  std::size_t log = 0;
  while ((std::size_t{1} << log) < static_cast<std::size_t>(units)) ++log;
  return log + 3;
}

}  // namespace

template <class Run>
Result<Seen> Runs::record(int from, int to, Run&& run) {
  if (control_.stopped()) return interrupted();
  if (control_.progress)
    control_.progress(found.runs.size(), std::max(expected_runs(units), found.runs.size() + 1),
                      "device runs; now operators " + std::to_string(from) + " to " +
                          std::to_string(to - 1) + " of " + std::to_string(units));
  Result<Seen> seen = run();
  if (!seen) return seen;
  if (control_.stopped() && !seen->refused.empty()) return interrupted();
  found.runs.push_back({from, to, seen->refused, seen->excess, seen->gap});
  return seen;
}

Result<Seen> Runs::device(int from, int to) {
  const auto known = seen_.find({from, to});
  if (known != seen_.end()) return known->second;
  auto seen = record(from, to, [&] { return box.device(from, to); });
  if (seen) seen_[{from, to}] = *seen;
  return seen;
}

std::optional<Seen> Runs::known(int from, int to) const {
  const auto run = seen_.find({from, to});
  return run == seen_.end() ? std::nullopt : std::optional(run->second);
}

Result<Seen> Runs::resumed(const Seen& before, int resume, int to) {
  if (resume == to) return box.resumed(before, resume, to);
  return record(resume, to, [&] { return box.resumed(before, resume, to); });
}

}  // namespace edgeprobe::bisect
