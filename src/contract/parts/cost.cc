// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "contract/parts/parts.h"
#include "contract/summary.h"
#include "core/text.h"
#include "stats/summary.h"

namespace edgeprobe::contract {
namespace {

Finding time_finding(const std::string& id) {
  Finding finding = passing_of_all(id);
  finding.of_time = true;
  return finding;
}

// Too slow if the whole interval is beyond the bound; undecided if only a part of it is.
Finding quantile_finding(const std::string& id, const stats::Quantile& given, double bound,
                         std::size_t frames) {
  Finding finding = time_finding(id);
  finding.frames = frames;
  finding.value = number(given.value, 4) + " ms";
  finding.bound = "at most " + number(bound, 4) + " ms";
  if (given.value <= bound) return finding;
  const bool sure = given.low && *given.low > bound;
  finding.state = sure ? State::kFails : State::kCannotTell;
  finding.why = sure ? "the model takes longer than the contract allows"
                     : "too few frames to distinguish a slower model from chance";
  finding.cure =
      sure
          ? "edgeprobe bench measures with warm-up and repetitions; --layer-times shows which layer"
          : "run more frames";
  return finding;
}

// Measuring conditions that differ from the contract's.
std::string other_conditions(const std::map<std::string, std::string>& wanted,
                             const TraceFigures& figures) {
  const auto given = measured_with(figures);
  for (const auto& [fact, value] : wanted) {
    const auto found = given.find(fact);
    if (found != given.end() && found->second == value) continue;
    return fact + " is " + (found == given.end() ? "not stated" : sanitized(found->second, 60)) +
           ", the contract's times are of " + sanitized(value, 60);
  }
  return "";
}

}  // namespace

std::vector<Finding> check_latency(const LatencyTerms& terms, const Evidence& evidence) {
  std::vector<double> ms;
  for (const trace::FrameRecord& record : evidence.figures.records)
    if (record.latency_ns && *record.latency_ns >= 0)
      ms.push_back(static_cast<double>(*record.latency_ns) / 1e6);
  const std::string other = other_conditions(terms.measured_with, evidence.figures);
  if (ms.empty() || !other.empty()) {
    Finding finding = time_finding("latency_ms");
    finding.state = State::kCannotTell;
    finding.why = ms.empty() ? "no frame has a latency" : other;
    finding.cure =
        ms.empty()
            ? "record it (a probe's frame around the invoke, or edgeprobe run)"
            : "measure with the same engine and threads, or take 'latency_ms' out or update it";
    return {finding};
  }
  const stats::Summary summary = stats::summarize(ms);
  return {
      quantile_finding("latency_ms.median", summary.p50, terms.median * (1 + terms.margin),
                       ms.size()),
      quantile_finding("latency_ms.p90", summary.p90, terms.p90 * (1 + terms.margin), ms.size())};
}

std::vector<Finding> check_memory(const MemoryTerms& terms, const Evidence& evidence) {
  Finding finding = passing_of_all("memory_mb.peak");
  const double bound = terms.peak * (1 + terms.margin);
  finding.bound = "at most " + number(bound, 4) + " MB";
  const auto peak = peak_mb(evidence.figures);
  if (!peak) {
    finding.state = State::kCannotTell;
    finding.why = "the trace states no memory";
    finding.cure = "record it by edgeprobe run, or take 'memory_mb' out";
    return {finding};
  }
  finding.value = number(*peak, 4) + " MB";
  if (*peak <= bound) return {finding};
  finding.state = State::kFails;
  finding.why = "the engine's process takes more memory than the contract allows";
  finding.cure = "before, at or after loading the model? edgeprobe trace info TRACE --latency";
  return {finding};
}

std::vector<Finding> check_drift(const DriftTerms& terms, const Evidence& evidence) {
  Finding finding = passing("drift");
  if (!evidence.agreement) {
    finding.state = State::kCannotTell;
    finding.why = "no reference was given";
    finding.cure = "give the reference's trace of the same pictures with --reference FILE.mcap";
    return {finding};
  }
  const auto given = drift_of(*evidence.agreement);
  std::vector<Finding> findings;
  for (const auto& [layer, learned] : terms.layers) {
    Finding one = passing_of_all("drift." + layer);
    const double bound = std::max(learned * (1 + terms.margin), terms.floor);
    one.bound = "at most " + number(bound, 4);
    const auto found = given.find(layer);
    if (found == given.end()) {
      one.state = State::kCannotTell;
      one.why = "the two traces do not both have it";
      one.cure = "record with the level of the contract (--level layers)";
    } else {
      one.value = number(found->second, 4);
      one.frames = evidence.agreement->frames.size();
      if (found->second > bound) {
        one.state = State::kFails;
        one.why = "the layer has moved away from the reference";
        one.cure = "the first layer at fault, and why: edgeprobe diagnose TRACE --reference MODEL";
      }
    }
    findings.push_back(std::move(one));
  }
  return findings;
}

}  // namespace edgeprobe::contract
