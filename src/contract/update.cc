// SPDX-License-Identifier: Apache-2.0
#include "contract/update.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "contract/file.h"

namespace edgeprobe::contract {
namespace {

using nlohmann::json;

void widen(Span& span, const Span& by) {
  span.low = std::min(span.low, by.low);
  span.high = std::max(span.high, by.high);
}

void widen(std::optional<Span>& span, const std::optional<Span>& by) {
  if (span && by) widen(*span, *by);
}

/// Copies parts of a learned contract, selected by assertion ids.
class Update {
 public:
  Update(Contract& contract, const Contract& learned) : contract_(contract), learned_(learned) {}

  void take(const std::string& id) {
    if (id.rfind("recipe", 0) == 0) contract_.recipe = learned_.recipe;
    for (auto& [name, terms] : contract_.inputs)
      if (const auto now = learned_.inputs.find(name); now != learned_.inputs.end())
        take_input(id, "inputs." + name, terms, now->second);
    for (auto& [name, terms] : contract_.outputs)
      if (const auto now = learned_.outputs.find(name); now != learned_.outputs.end())
        take_output(id, "outputs." + name, terms, now->second);
    if (id == "repeats") contract_.repeats = learned_.repeats;
    if (id.rfind("stages.", 0) == 0) std::erase(contract_.stages, id.substr(7));
    if (contract_.answers && learned_.answers)
      take_answers(id, *contract_.answers, *learned_.answers);
    take_cost(id);
  }

  // Replaces tensors by those with new names if none of the old names remain.
  template <class Terms>
  static void rename(std::map<std::string, Terms>& terms, const std::map<std::string, Terms>& now) {
    if (terms.empty()) return;  // The user removed these terms.
    std::erase_if(terms, [&](const auto& one) { return now.count(one.first) == 0; });
    if (terms.empty()) terms = now;
  }

 private:
  static void take_input(const std::string& id, const std::string& place, InputTerms& terms,
                         const InputTerms& now) {
    if (id == place + ".type") {
      terms.dtype = now.dtype;
      terms.shape = now.shape;
    }
    if (id == place + ".range") widen(terms.range, now.range);
    if (id == place + ".mean") terms.mean = now.mean;
    if (id == place + ".std") {
      terms.std = now.std;
      terms.rests = now.rests;
      terms.quietest = now.quietest;
    }
  }
  static void take_output(const std::string& id, const std::string& place, OutputTerms& terms,
                          const OutputTerms& now) {
    if (id == place + ".type") {
      terms.dtype = now.dtype;
      terms.shape = now.shape;
    }
    if (id == place + ".range") widen(terms.range, now.range);
    if (id == place + ".probabilities") terms.probabilities = now.probabilities;
  }
  static void take_answers(const std::string& id, AnswerTerms& terms, const AnswerTerms& now) {
    if (id == "answers.most_alike" && now.most_alike) terms.most_alike = now.most_alike;
    if (id == "answers.metric" && now.least) {
      terms.metric = now.metric;
      terms.least = now.least;
      terms.lower_is_better = now.lower_is_better;
    }
    if (id == "answers.parts") terms.parts = now.parts;
    if (id == "answers.items") widen(terms.items, now.items);
    if (id == "answers.scores") widen(terms.scores, now.scores);
  }
  void take_cost(const std::string& id) {
    if (contract_.latency && learned_.latency) {
      LatencyTerms& terms = *contract_.latency;
      if (id == "latency_ms") {  // With another engine, none of the old times hold.
        const double margin = terms.margin;
        terms = *learned_.latency;
        terms.margin = margin;
      }
      if (id == "latency_ms.median") terms.median = learned_.latency->median;
      if (id == "latency_ms.p90") terms.p90 = learned_.latency->p90;
    }
    if (contract_.memory && learned_.memory && id == "memory_mb.peak")
      contract_.memory->peak = learned_.memory->peak;
    if (contract_.drift && learned_.drift)
      for (auto& [layer, distance] : contract_.drift->layers)
        if (const auto now = learned_.drift->layers.find(layer);
            id == "drift." + layer && now != learned_.drift->layers.end())
          distance = now->second;
  }

  Contract& contract_;
  const Contract& learned_;
};

}  // namespace

Contract updated(const Contract& old, const Contract& learned, const Report& report) {
  Contract contract = old;
  Update update(contract, learned);
  for (const Finding& finding : report.findings)
    if (finding.state == State::kFails || finding.id == "latency_ms") update.take(finding.id);
  Update::rename(contract.inputs, learned.inputs);
  Update::rename(contract.outputs, learned.outputs);
  if (!changes(old, contract).empty()) contract.learned_from = learned.learned_from;
  return contract;
}

std::vector<Change> changes(const Contract& before, const Contract& after) {
  const auto places = [](const Contract& contract) {
    std::map<std::string, std::string> all;
    const json file = json::parse(to_json(contract));
    // A list of numbers is one value, since it is on one line.
    const auto walk = [&](const auto& self, const json& node, const std::string& place) -> void {
      if (node.is_object())
        for (const auto& [key, one] : node.items())
          self(self, one, place.empty() ? key : place + "." + key);
      else all[place] = node.dump(-1, ' ', false, json::error_handler_t::replace);
    };
    walk(walk, file, "");
    std::erase_if(all, [](const auto& one) { return one.first.rfind("learned_from", 0) == 0; });
    return all;
  };
  const auto old = places(before), now = places(after);
  std::map<std::string, Change> found;
  for (const auto& [place, value] : old) found[place] = {place, value, ""};
  for (const auto& [place, value] : now) {
    found[place].place = place;
    found[place].after = value;
  }
  std::vector<Change> all;
  for (auto& [place, change] : found)
    if (change.before != change.after) all.push_back(std::move(change));
  return all;
}

}  // namespace edgeprobe::contract
