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

/// "2T had 3 quiet runs in 1 of 9 processes": evidence that is missing.
std::string lacking_text(const Candidate& candidate, std::size_t needs) {
  const Evidence& evidence = *candidate.evidence;
  return candidate.name + " had " + std::to_string(evidence.quiet) + " quiet runs of " +
         std::to_string(evidence.runs) + ", and " + std::to_string(evidence.quiet_processes) +
         " quiet processes of " + std::to_string(evidence.processes) + "; an answer needs " +
         std::to_string(kFewestQuiet) + " such runs in " + std::to_string(needs) +
         " such processes. " +
         (evidence.quiet_processes == evidence.processes
              ? "Search again with more --rounds"
              : "Other programs use the CPUs: stop them and search again, or with more --rounds");
}

/// "takes 1.1 ms", "takes 0.65 ms in 2 of 7 processes and 1.1 ms in 5 of 7".
std::string takes(const Candidate& candidate) { return "takes " + modes_text(*candidate.evidence); }

std::string open_text(const Candidate& plain, const Candidate& division) {
  return plain.name + " " + takes(plain) + "; the best division, " + division.name + ", " +
         takes(division) +
         ", and more processes are needed to tell which is faster; search again with more --rounds";
}

}  // namespace

Way way_of(const Candidate& candidate) {
  Way way;
  way.is_plain = candidate.is_plain;
  way.threads = 0;
  bool computes_elsewhere = false;
  for (const stretch::Processor& processor : candidate.plan.processors) {
    way.threads += at(processor.threads);
    way.is_pool = way.is_pool || processor.threads > 1;
    computes_elsewhere =
        computes_elsewhere || !processor.delegate.empty() || processor.emulated_slowdown > 1;
  }
  if (computes_elsewhere) way.threads = 0;
  way.processes = candidate.processes;
  return way;
}

std::vector<Way> ways_of(const std::vector<Candidate>& candidates) {
  std::vector<Way> ways;
  for (const Candidate& candidate : candidates) {
    ways.push_back(way_of(candidate));
    if (!candidate.refused.empty()) ways.back().processes.clear();
  }
  return ways;
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

void decide(Found& found, const std::string& otherwise) {
  found.otherwise = otherwise;
  for (Candidate& candidate : found.candidates) candidate.evidence = evidence_of(way_of(candidate));
  const std::vector<Way> ways = ways_of(found.candidates);
  const Verdict verdict = judge(ways);
  const Candidate& plain = found.candidates[*verdict.plain];
  const Candidate* const division =
      verdict.division ? &found.candidates[*verdict.division] : nullptr;
  if (division && plain.evidence->is_enough() && division->evidence->is_enough())
    found.ratio = plain.evidence->median / division->evidence->median;
  found.branches = verdict.kind == Verdict::Kind::kBranch;
  found.decided = verdict.kind != Verdict::Kind::kUndecided;
  found.chosen = found.branches ? *verdict.division : *verdict.plain;
  const std::string plain_text = plain.name + " " + takes(plain);
  if (!found.decided && !verdict.lacking.empty()) {
    const std::size_t first = verdict.lacking.front();
    found.answer =
        "undecided: " + lacking_text(found.candidates[first], fewest_processes(ways, first));
  } else if (!found.decided) {
    found.answer = "undecided: " + open_text(plain, *division);
  } else if (found.branches) {
    found.answer = "branch: " + division->name + " take " + modes_text(*division->evidence) + "; " +
                   plain_text + ", " + number(*found.ratio, 3) + " times as long";
  } else if (division) {
    found.answer = "do not branch: " + plain_text + "; the best division, " + division->name +
                   ", " + takes(*division) +
                   (division->evidence->median < plain.evidence->median
                        ? ", and the intervals of the two overlap"
                        : "");
  } else {
    found.answer = "do not branch: " + plain_text + "; " + otherwise;
  }
}

}  // namespace edgeprobe::placement
