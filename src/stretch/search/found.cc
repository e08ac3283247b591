// SPDX-License-Identifier: Apache-2.0
#include "stretch/search/found.h"

#include <algorithm>

#include "core/index.h"
#include "core/text.h"
#include "engine/vulkan_driver.h"
#include "stretch/groups.h"

namespace edgeprobe::stretch {
namespace {

std::string cpus_text(const std::vector<int>& cpus) {
  std::string text;
  for (const int cpu : cpus) text += (text.empty() ? "" : ",") + std::to_string(cpu);
  return (cpus.size() == 1 ? "CPU " : "CPUs ") + text;
}

/// ", libprovider.so (software)": the driver that the user chose for Vulkan may be one of the CPU.
std::string delegate_text(const Processor& processor) {
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

Candidate plain_candidate(const model::Graph& graph, const Flow& flow, const Processor& processor) {
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
  candidate.plan = plan_of(graph, flow, {processor}, {{"whole", layers, 0}}, false);
  return candidate;
}

void decide(Found& found, const std::string& otherwise) {
  const Candidate* const plain = best_of(found.candidates, true);
  const Candidate* const division = best_of(found.candidates, false);
  if (division) found.ratio = plain->best->median / division->best->median;
  // Within their intervals nobody knows which one is faster, and the plain one has nothing to go
  // wrong.
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

}  // namespace edgeprobe::stretch
