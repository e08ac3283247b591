// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "contract/file.h"
#include "core/text.h"

namespace edgeprobe::contract {
namespace {

using nlohmann::json;  // Sorts object keys.

// Six digits, so that two runs of one deployment yield the same file.
json value(double number) {
  if (!std::isfinite(number)) return nullptr;
  return std::strtod(edgeprobe::number(number, 6).c_str(), nullptr);
}

json value(const Span& span) { return json::array({value(span.low), value(span.high)}); }

json values(const std::vector<double>& numbers) {
  json list = json::array();
  for (const double number : numbers) list.push_back(value(number));
  return list;
}

json input(const InputTerms& terms) {
  json out{{"dtype", name(terms.dtype)},  {"shape", terms.shape},
           {"range", value(terms.range)}, {"margin", value(terms.margin)},
           {"mean", values(terms.mean)},  {"std", values(terms.std)}};
  if (!terms.rests.empty()) out["rests"] = values(terms.rests);
  if (!terms.quietest.empty()) out["quietest"] = values(terms.quietest);
  return out;
}

json output(const OutputTerms& terms) {
  return {{"dtype", name(terms.dtype)},
          {"shape", terms.shape},
          {"range", value(terms.range)},
          {"margin", value(terms.margin)},
          {"probabilities", terms.probabilities}};
}

json answers(const AnswerTerms& terms) {
  json out = json::object();
  if (terms.most_alike) out["most_alike"] = value(*terms.most_alike);
  if (terms.least)
    out["metric"] = {{"name", terms.metric},
                     {terms.lower_is_better ? "most" : "least", value(*terms.least)}};
  if (!terms.parts.empty()) out["parts"] = terms.parts;
  if (terms.items) out["items"] = value(*terms.items);
  if (terms.scores) out["scores"] = value(*terms.scores);
  return out;
}

// Puts a short list on one line: a shape or a range is one value in a diff.
std::string text_of(const json& node, const std::string& indent) {
  const std::string deeper = indent + "  ";
  const auto plain = [](const json& one) { return !one.is_structured(); };
  std::string text;
  if (node.is_array() && (node.empty() || (node.front().is_number() &&
                                           std::all_of(node.begin(), node.end(), plain)))) {
    for (const json& one : node) text += (text.empty() ? "" : ", ") + one.dump();
    return "[" + text + "]";
  }
  if (node.is_array()) {
    for (const json& one : node)
      text += (text.empty() ? "\n" : ",\n") + deeper + text_of(one, deeper);
    return "[" + text + "\n" + indent + "]";
  }
  if (!node.is_object()) return node.dump(-1, ' ', false, json::error_handler_t::replace);
  if (node.empty()) return "{}";
  for (const auto& [key, one] : node.items())
    text += (text.empty() ? "\n" : ",\n") + deeper +
            json(key).dump(-1, ' ', false, json::error_handler_t::replace) + ": " +
            text_of(one, deeper);
  return "{" + text + "\n" + indent + "}";
}

}  // namespace

std::string to_json(const Contract& contract) {
  json root{{"edgeprobe_contract", kVersion}};
  if (!contract.learned_from.empty()) root["learned_from"] = contract.learned_from;
  if (!contract.recipe.empty()) root["recipe"] = contract.recipe;
  for (const auto& [name, terms] : contract.inputs) root["inputs"][name] = input(terms);
  for (const auto& [name, terms] : contract.outputs) root["outputs"][name] = output(terms);
  if (!contract.states.empty()) root["states"] = contract.states;
  if (contract.repeats) root["repeats"] = *contract.repeats;
  if (!contract.stages.empty()) root["stages"] = contract.stages;
  if (contract.answers) root["answers"] = answers(*contract.answers);
  if (const auto& latency = contract.latency)
    root["latency_ms"] = {{"median", value(latency->median)},
                          {"p90", value(latency->p90)},
                          {"margin", value(latency->margin)},
                          {"measured_with", latency->measured_with}};
  if (const auto& memory = contract.memory)
    root["memory_mb"] = {{"peak", value(memory->peak)}, {"margin", value(memory->margin)}};
  if (const auto& drift = contract.drift) {
    json layers = json::object();
    for (const auto& [name, distance] : drift->layers) layers[name] = value(distance);
    root["drift"] = {
        {"margin", value(drift->margin)}, {"floor", value(drift->floor)}, {"layers", layers}};
  }
  root["assertions"] = contract.assertions;
  root["python"] = contract.python;
  return text_of(root, "") + "\n";
}

}  // namespace edgeprobe::contract
