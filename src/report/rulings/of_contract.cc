// SPDX-License-Identifier: Apache-2.0
#include "report/rulings/of_contract.h"

#include <algorithm>
#include <string_view>

#include "report/json/contract.h"
#include "report/text/contract.h"

namespace edgeprobe::report {
namespace {

using contract::Finding;
using contract::State;

/// "inputs.image.range" -> "inputs.range", "assertions[3]" -> "assertions": removes the user's own
/// names.
std::string rule_of(const std::string& id) {
  const std::string part = id.substr(0, id.find_first_of(".["));
  for (const std::string_view named : {"inputs", "outputs"})
    if (part == named) return part + id.substr(std::min(id.rfind('.'), id.size()));
  for (const std::string_view own : {"assertions", "app", "stages", "states", "python", "drift"})
    if (part == own) return part;
  return part.find(".py") == std::string::npos ? id : "python";
}

Ruled ruled(const Finding& finding) {
  switch (finding.state) {
    case State::kPasses: return Ruled::kPasses;
    case State::kFails: return Ruled::kFails;
    case State::kNotYet: return Ruled::kSkipped;
    case State::kCannotTell: break;
  }
  // An undecided time must not fail a build.
  return finding.of_time ? Ruled::kSkipped : Ruled::kUndecided;
}

std::vector<Fact> facts_of(const Finding& finding) {
  std::vector<Fact> facts;
  const auto add = [&](const char* key, const std::string& text,
                       std::optional<double> number = std::nullopt) {
    if (!text.empty()) facts.push_back({key, key, text, number});
  };
  add("value", finding.value);
  add("bound", finding.bound);
  if (finding.frame)
    add("frame",
        std::to_string(*finding.frame) + (finding.sample.empty() ? "" : " " + finding.sample));
  if (finding.failing > 0)
    add("frames", std::to_string(finding.failing) + " of " + std::to_string(finding.frames));
  return facts;
}

Ruling ruling_of(const Finding& finding, const std::function<Place(const std::string&)>& place) {
  Ruling line;
  line.id = line.heading = finding.id;
  line.rule = rule_of(finding.id);
  line.title = "assertion of the contract: " + line.rule;
  line.ruled = ruled(finding);
  line.message = finding.why;
  line.cure = finding.cure;
  line.facts = facts_of(finding);
  line.place = place(finding.id);
  return line;
}

}  // namespace

Rulings rulings_of(const contract::Report& report, const std::string& contract,
                   const std::string& trace,
                   const std::function<Place(const std::string& id)>& place) {
  Rulings rulings;
  rulings.verb = "contract check";
  rulings.name = contract;
  rulings.subject = trace;
  rulings.outcome = outcome_word(report.state());
  rulings.headline = contract_summary(report, contract);
  const auto count = [&](const char* key, const char* title, State state) {
    const std::size_t found = report.count(state);
    rulings.facts.push_back({key, title, std::to_string(found), static_cast<double>(found)});
  };
  count("passes", "assertions that pass", State::kPasses);
  count("fails", "assertions that fail", State::kFails);
  count("cannot_tell", "undecided assertions", State::kCannotTell);
  if (report.first_frames)
    rulings.facts.push_back({"first_frames", "frames judged", std::to_string(*report.first_frames),
                             static_cast<double>(*report.first_frames)});
  for (const Finding& one : report.findings) rulings.lines.push_back(ruling_of(one, place));
  return rulings;
}

}  // namespace edgeprobe::report
