// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "report/rulings/rulings.h"

namespace edgeprobe::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestText = 1000, kLongestName = 400, kLongestCure = 4000;

/// Null: the line produces no result.
const char* level(Ruled ruled) {
  switch (ruled) {
    case Ruled::kFails: return "error";
    case Ruled::kUndecided: return "warning";
    case Ruled::kNote: return "note";
    case Ruled::kPasses:
    case Ruled::kSkipped: break;
  }
  return nullptr;
}

bool is_result(const Ruling& one) { return !one.is_summary && level(one.ruled); }

// RFC 3986: characters that are neither unreserved nor "/" become %XX; a colon might end a scheme.
std::string uri(const std::string& file) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr const char* kHex = "0123456789ABCDEF";
  std::string out = file.rfind('/', 0) == 0 ? "file://" : "";
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos) out += c;
    else (out += '%') += {kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

Json location(const Place& place) {
  Json artifact = {{"uri", uri(place.file)}};
  if (place.file.rfind('/', 0) != 0) artifact["uriBaseId"] = "%SRCROOT%";
  // Code scanning refuses a location without a region; for a model, use its first line.
  return {{"physicalLocation",
           {{"artifactLocation", std::move(artifact)}, {"region", {{"startLine", place.line}}}}}};
}

// Counts are integers.
Json number_of(double value) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (value == std::floor(value) && std::abs(value) < kExact)
    return static_cast<std::int64_t>(value);
  return value;
}

void add(Json& bag, const std::vector<Fact>& facts) {
  for (const Fact& fact : facts) {
    if (fact.number && std::isfinite(*fact.number)) bag[fact.key] = number_of(*fact.number);
    else bag[fact.key] = sanitized(fact.text, kLongestText);
  }
}

std::string message(const Ruling& ruling) {
  std::string text = sanitized(ruling.message, kLongestText);
  if (!ruling.cure.empty()) text += "\nWhat to do: " + sanitized(ruling.cure, kLongestCure);
  return text;
}

Json result(const Ruling& ruling, const Rulings& rulings, std::size_t rule) {
  Json bag = {{"verdict", rulings.outcome}};
  add(bag, ruling.facts);
  add(bag, rulings.facts);
  if (!ruling.code.empty()) {
    Json code = Json::object();
    for (const Code& one : ruling.code) code[one.title] = one.text;
    bag["fix_code"] = std::move(code);
  }
  return {{"ruleId", ruling.rule},
          {"ruleIndex", rule},
          {"level", level(ruling.ruled)},
          {"message", {{"text", message(ruling)}}},
          {"locations", Json::array({location(ruling.place)})},
          {"partialFingerprints", {{"edgeprobeLine/v1", sanitized(ruling.id, kLongestName)}}},
          {"properties", std::move(bag)}};
}

}  // namespace

std::string sarif_text(const Rulings& rulings, std::string_view version) {
  Json rules = Json::array(), results = Json::array();
  std::vector<std::string> known;
  for (const Ruling& one : rulings.lines) {
    if (!is_result(one)) continue;
    const auto at = std::find(known.begin(), known.end(), one.rule);
    const auto index = static_cast<std::size_t>(at - known.begin());
    if (at == known.end()) {
      known.push_back(one.rule);
      rules.push_back({{"id", one.rule},
                       {"shortDescription", {{"text", one.title}}},
                       {"defaultConfiguration", {{"level", "error"}}}});
    }
    results.push_back(result(one, rulings, index));
  }
  Json figures = {{"verdict", rulings.outcome},
                  {"headline", sanitized(rulings.headline, kLongestText)},
                  {"subject", sanitized(rulings.subject, kLongestName)}};
  add(figures, rulings.facts);
  if (!rulings.would_decide.empty()) figures["would_decide"] = rulings.would_decide;
  if (!rulings.warnings.empty()) figures["warnings"] = rulings.warnings;
  const Json run = {
      {"tool",
       {{"driver", {{"name", "edgeprobe"}, {"version", version}, {"rules", std::move(rules)}}}}},
      {"automationDetails", {{"id", "edgeprobe " + rulings.verb + "/"}}},
      {"invocations", Json::array({{{"executionSuccessful", true}}})},
      {"columnKind", "unicodeCodePoints"},
      {"results", std::move(results)},
      {"properties", std::move(figures)}};
  // overwrite.cc recognises an older file by "edgeprobe_rulings".
  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"properties", {{"edgeprobe_rulings", rulings.verb}}},
                    {"runs", Json::array({run})}};
  return log.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::report
