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
    case contract::State::kCannotTell: break;
  }
  return "cannot_tell";
}

const char* outcome(contract::State state) {
  switch (state) {
    case contract::State::kPasses: return "agrees";
    case contract::State::kFails: return "differs";
    case contract::State::kCannotTell: break;
  }
  return "undecided";
}

}  // namespace

std::string contract_json(const contract::Report& report, const std::string& contract,
                          const std::string& trace) {
  ordered_json root{{"schema_version", 1},
                    {"outcome", outcome(report.state())},
                    {"contract", contract},
                    {"trace", trace},
                    {"passes", report.count(contract::State::kPasses)},
                    {"fails", report.count(contract::State::kFails)},
                    {"cannot_tell", report.count(contract::State::kCannotTell)},
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
  return root.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::report
