// SPDX-License-Identifier: Apache-2.0
#include "report/json/contract.h"

#include <nlohmann/json.hpp>

namespace edgeprobe::report {
namespace {

using nlohmann::ordered_json;

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

const char* word(contract::State state) {
  switch (state) {
    case contract::State::kPasses: return "passes";
    case contract::State::kFails: return "fails";
    case contract::State::kNotYet: return "not_yet";
    case contract::State::kCannotTell: break;
  }
  return "cannot_tell";
}

ordered_json report_json(const contract::Report& report, const std::string& contract,
                         const std::string& trace) {
  ordered_json root{{"schema_version", 1},
                    {"outcome", outcome_word(report.state())},
                    {"contract", contract},
                    {"trace", trace},
                    {"first_frames", report.first_frames ? ordered_json(*report.first_frames)
                                                         : ordered_json(nullptr)},
                    {"passes", report.count(contract::State::kPasses)},
                    {"fails", report.count(contract::State::kFails)},
                    {"cannot_tell", report.count(contract::State::kCannotTell)},
                    {"not_yet", report.count(contract::State::kNotYet)},
                    {"assertions", ordered_json::array()}};
  for (const contract::Finding& one : report.findings)
    root["assertions"].push_back(
        {{"id", one.id},
         {"state", word(one.state)},
         {"frame", one.frame ? ordered_json(*one.frame) : ordered_json(nullptr)},
         {"sample", text_or_null(one.sample)},
         {"value", text_or_null(one.value)},
         {"bound", text_or_null(one.bound)},
         {"frames", one.frames},
         {"frames_failing", one.failing},
         {"why", text_or_null(one.why)},
         {"cure", text_or_null(one.cure)}});
  return root;
}

std::string text_of(const ordered_json& root) {
  return root.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

const char* outcome_word(contract::State state) {
  switch (state) {
    case contract::State::kPasses: return "agrees";
    case contract::State::kFails: return "differs";
    case contract::State::kNotYet:
    case contract::State::kCannotTell: break;
  }
  return "undecided";
}

std::string contract_json(const contract::Report& report, const std::string& contract,
                          const std::string& trace) {
  return text_of(report_json(report, contract, trace));
}

std::string contract_learn_json(const contract::Report& report,
                                const std::vector<std::string>& warnings,
                                const std::string& contract, const std::string& trace) {
  ordered_json root = report_json(report, contract, trace);
  root["warnings"] = warnings;
  return text_of(root);
}

std::string contract_update_json(const contract::Report& report,
                                 const std::vector<contract::Change>& changes,
                                 const std::string& contract, const std::string& trace) {
  ordered_json root = report_json(report, contract, trace);
  root["changes"] = ordered_json::array();
  for (const contract::Change& one : changes)
    root["changes"].push_back({{"place", one.place},
                               {"before", text_or_null(one.before)},
                               {"after", text_or_null(one.after)}});
  return text_of(root);
}

}  // namespace edgeprobe::report
