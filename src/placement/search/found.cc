// SPDX-License-Identifier: Apache-2.0
#include "placement/search/found.h"

#include <algorithm>

#include "core/index.h"
#include "core/text.h"
#include "engine/vulkan_driver.h"
#include "stretch/groups.h"

namespace edgeprobe::placement {
namespace {

std::string cpus_text(const std::vector<int>& cpus) {
  std::string text;
  for (const int cpu : cpus) text += (text.empty() ? "" : ",") + std::to_string(cpu);
  return (cpus.size() == 1 ? "CPU " : "CPUs ") + text;
}

/// ", libprovider.so (software)": the Vulkan driver that the user chose may run on the CPU.
std::string delegate_text(const stretch::Processor& processor) {
  if (processor.delegate.empty()) return "";
  const std::string text = processor.delegate.substr(0, processor.delegate.find('?'));
  return ", " + engine::labelled_delegate(sanitized(text.substr(text.rfind('/') + 1), 60));
}

std::string time_text(double seconds) { return number(seconds * 1e3, 4) + " ms"; }

const Candidate* best_of(const std::vector<Candidate>& candidates, bool plain) {
  const Candidate* best = nullptr;
  for (const Candidate& one : candidates)
    if (one.is_plain == plain && one.refused.empty() && one.best &&
        (!best || one.best->median < best->best->median))
      best = &one;
  return best;
}

}  // namespace

std::optional<Timing> fastest(const std::vector<Timing>& processes) {
  const auto best =
      std::min_element(processes.begin(), processes.end(),
                       [](const Timing& a, const Timing& b) { return a.median < b.median; });
  return best == processes.end() ? std::nullopt : std::optional(*best);
}

Candidate plain_candidate(const model::Graph& graph, const stretch::Flow& flow,
                          const stretch::Processor& processor) {
  Candidate candidate;
  candidate.is_plain = true;
  candidate.name =
      processor.engine + delegate_text(processor) + ", " + std::to_string(processor.threads) +
      (processor.threads == 1 ? " thread on " : " threads on ") + cpus_text(processor.cpus) +
      (processor.emulated_slowdown > 1
           ? ", emulated " + number(processor.emulated_slowdown) + " times as slow"
           : "");
  std::vector<int> layers;
  for (const int node : flow.order)
    if (at(node) < graph.layers.size()) layers.push_back(node);
  std::sort(layers.begin(), layers.end());
  candidate.plan = stretch::plan_of(graph, flow, {processor}, {{"whole", layers, 0}}, false);
  return candidate;
}

std::vector<std::size_t> undecided(const std::vector<Candidate>& candidates) {
  constexpr std::size_t kFewestOfPool = 8;
  // Below kTie the choice does not matter; kMode bounds the gap between modes.
  constexpr double kTie = 0.01, kMode = 0.4, kAlike = 0.05;
  const auto is_in = [](const Candidate& one) { return one.refused.empty() && one.best; };
  const Candidate* first = nullptr;
  for (const Candidate& one : candidates)
    if (is_in(one) && (!first || one.best->median < first->best->median)) first = &one;
  if (!first) return {};
  const auto has_modes = [&](const Candidate& one) {
    double slowest = 0;
    for (const Timing& timing : one.processes) slowest = std::max(slowest, timing.median);
    return slowest > (1 + kAlike) * one.best->median;
  };
  // Possibly only one mode was observed.
  const auto is_young_pool = [](const Candidate& one) {
    return one.processes.size() < kFewestOfPool &&
           std::any_of(one.plan.processors.begin(), one.plan.processors.end(),
                       [](const stretch::Processor& processor) { return processor.threads > 1; });
  };
  std::vector<std::size_t> open;
  bool others = false;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& one = candidates[i];
    if (!is_in(one)) continue;
    const double times = one.best->median / first->best->median;
    const bool may_be =
        times > 1 + kTie && (one.best->low <= first->best->high ||
                             (times <= 1 + kMode && (has_modes(one) || is_young_pool(one))));
    if (&one == first || may_be) open.push_back(i);
    others = others || may_be;
  }
  return others ? open : std::vector<std::size_t>{};
}

void decide(Found& found, const std::string& otherwise) {
  found.otherwise = otherwise;
  const Candidate* const plain = best_of(found.candidates, true);
  const Candidate* const division = best_of(found.candidates, false);
  if (division) found.ratio = plain->best->median / division->best->median;
  // Within overlapping intervals neither is known to be faster, and the plain option is more
  // robust.
  found.branches = division && division->best->high < plain->best->low;
  const Candidate* const chosen = found.branches ? division : plain;
  found.chosen = static_cast<std::size_t>(chosen - found.candidates.data());
  const std::string plain_text = plain->name + " takes " + time_text(plain->best->median);
  if (found.branches)
    found.answer = "branch: " + chosen->name + " take " + time_text(chosen->best->median) + "; " +
                   plain_text + ", " + number(*found.ratio, 3) + " times as long";
  else if (division)
    found.answer =
        "do not branch: " + plain_text + "; the best division, " + division->name + ", takes " +
        time_text(division->best->median) +
        (division->best->median < plain->best->median ? ", and the intervals of the two overlap"
                                                      : "");
  else found.answer = "do not branch: " + plain_text + "; " + otherwise;
}

}  // namespace edgeprobe::placement
