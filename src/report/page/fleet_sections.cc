// SPDX-License-Identifier: Apache-2.0
#include "report/page/fleet_sections.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "report/page/html.h"
#include "report/text/columns.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kWidth = 100, kFewestShown = 3, kMostUnknown = 10;

// With fewer devices there is nothing worth showing.
bool is_shown(const Fleet& fleet) { return fleet.study.devices.size() >= kFewestShown; }

// Tested facts, then the skipped traces.
std::vector<std::string> rows(const Fleet& fleet) {
  std::vector<std::string> rows = fleet_rows(fleet);
  for (std::size_t i = 0; i < std::min(kMostUnknown, fleet.unknown.size()); ++i)
    rows.push_back("left out: " + sanitized(fleet.unknown[i].file, kLongestName) + ": " +
                   sanitized(fleet.unknown[i].why, 400));
  if (fleet.unknown.size() > kMostUnknown)
    rows.push_back("left out: " + std::to_string(fleet.unknown.size() - kMostUnknown) + " more");
  return rows;
}

ordered_json finite(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json json_of(const fleet::FactTest& test) {
  ordered_json out{{"facts", test.names},
                   {"kind", test.is_number ? "number" : "text"},
                   {"failing", test.failing},
                   {"passing", test.passing}};
  if (test.is_number) {
    out["unit"] = test.unit;
    out["failing_median"] = finite(test.failing_median);
    out["passing_median"] = finite(test.passing_median);
  } else {
    out["values"] = test.values;
    out["categories"] = test.categories;
    out["value_failing"] = test.value_failing;
    out["value_devices"] = test.value_devices;
  }
  out["effect"] = finite(test.effect);
  out["p"] = test.p;
  out["least_p"] = test.least_p;
  out["exact"] = test.exact;
  out["p_corrected"] = test.p_corrected ? ordered_json(*test.p_corrected) : ordered_json(nullptr);
  out["tells"] = test.tells;
  return out;
}

}  // namespace

ordered_json fleet_json(const Fleet& fleet) {
  ordered_json out{{"rule", fleet.rule},
                   {"devices", ordered_json::array()},
                   {"failing", fleet.study.failing},
                   {"tests", ordered_json::array()},
                   {"tested", fleet.study.tested},
                   {"cannot_be_told_apart", ordered_json::array()},
                   {"least_p", fleet.study.least_p},
                   {"least_p_corrected", std::min(1.0, fleet.study.least_corrected_p)},
                   {"too_few", fleet.study.too_few != fleet::TooFew::kNo},
                   {"facts_same_on_all", fleet.study.same},
                   {"facts_different_on_each", fleet.study.singular},
                   {"facts_left_out", fleet.study.left_out},
                   {"unknown", ordered_json::array()},
                   {"sentences", fleet_sentences(fleet)}};
  for (const fleet::Device& device : fleet.study.devices)
    out["devices"].push_back({{"name", device.name}, {"fails", device.fails}});
  for (const fleet::FactTest& test : fleet.study.tests) out["tests"].push_back(json_of(test));
  for (const auto& group : fleet.study.groups) {
    ordered_json names = ordered_json::array();
    for (const std::size_t at : group)
      for (const std::string& name : fleet.study.tests[at].names) names.push_back(name);
    if (names.size() > 1) out["cannot_be_told_apart"].push_back(std::move(names));
  }
  for (const UnknownDevice& one : fleet.unknown)
    out["unknown"].push_back({{"file", one.file}, {"why", one.why}});
  return out;
}

std::string fleet_text(const Fleet& fleet) {
  if (!is_shown(fleet)) return "";
  std::string out = "\n" + std::string(kFleetTitle) + "\n";
  for (const std::string& sentence : fleet_sentences(fleet)) out += wrapped("  ", sentence, kWidth);
  for (const std::string& row : rows(fleet)) out += wrapped("  - ", row, kWidth);
  return out;
}

std::string fleet_html(const Fleet& fleet) {
  if (!is_shown(fleet)) return "";
  std::string out = "<h2>" + std::string(kFleetTitle) + "</h2>\n", items;
  for (const std::string& sentence : fleet_sentences(fleet))
    out += "<p>" + escaped(sentence, kLongestSentence) + "</p>\n";
  for (const std::string& row : rows(fleet))
    items += "<li>" + escaped(row, kLongestSentence) + "</li>\n";
  return items.empty() ? out : out + "<ul>\n" + items + "</ul>\n";
}

}  // namespace edgeprobe::report
