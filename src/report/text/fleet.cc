// SPDX-License-Identifier: Apache-2.0
#include "report/text/fleet.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace edgeprobe::report {
namespace {

using fleet::FactTest;
using fleet::Study;
using fleet::TooFew;

constexpr std::size_t kMostRows = 12, kLongestValue = 60, kMostNames = 8;

std::string value_text(const std::string& text) {
  // The start of a hash is enough.
  const bool is_hash =
      text.size() >= 40 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  return "'" + (is_hash ? text.substr(0, 12) + "…" : sanitized(text, kLongestValue)) + "'";
}

std::string p_words(double p) { return p < 0.001 ? "p < 0.001" : "p = " + number(p, 2); }

std::string count(std::uint64_t n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string of(std::uint64_t part, std::uint64_t all) {
  return std::to_string(part) + " of " + std::to_string(all);
}

std::string value_words(double value, const std::string& unit) {
  return number(value, 4) + (unit.empty() ? "" : " " + sanitized(unit, 20));
}

// "soc 'G3', driver '535.2'"
std::string named(const FactTest& test) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostNames, test.names.size()); ++i)
    text += (i ? ", " : "") + sanitized(test.names[i], kLongestValue) +
            (test.is_number ? "" : " " + value_text(test.values[i]));
  if (test.names.size() > kMostNames)
    text += " and " + std::to_string(test.names.size() - kMostNames) + " more";
  return text;
}

// "with it 9 of 9 fail, without 0 of 31"
std::string split(const FactTest& test) {
  return "with it " + of(test.value_failing, test.value_devices) + " fail, without " +
         of(test.failing - test.value_failing, test.failing + test.passing - test.value_devices);
}

std::string method(const FactTest& test) {
  if (!test.exact) return "permutations";
  if (test.is_number) return "exact permutation test";
  return test.categories == 2 ? "Fisher's exact test" : "Freeman-Halton's exact test";
}

std::string figures(const FactTest& test, std::uint64_t tested) {
  return std::string(test.is_number ? "rank-biserial correlation " : "Cramer's V ") +
         number(test.effect, 2) + ", " + p_words(test.p_corrected.value_or(test.p)) + ", " +
         method(test) +
         (test.p_corrected ? ", Holm's correction for " + count(tested, "test") : "");
}

std::string group_sentence(const Study& study, const std::vector<std::size_t>& group) {
  const FactTest& first = study.tests[group.front()];
  std::string facts;
  std::size_t names = 0;
  for (const std::size_t at : group) {
    facts += (facts.empty() ? "" : ", ") + named(study.tests[at]);
    names += study.tests[at].names.size();
  }
  return facts + (names > 1 ? " (on the same devices: they cannot be distinguished)" : "") + ": " +
         split(first) + " (" + figures(first, study.tested) + ").";
}

std::string number_sentence(const Study& study, const FactTest& test) {
  return named(test) + ": " + (test.effect > 0 ? "larger" : "smaller") +
         " on the devices that fail, median " + value_words(test.failing_median, test.unit) +
         " against " + value_words(test.passing_median, test.unit) + " (" +
         figures(test, study.tested) + ").";
}

// Facts that separate them perfectly: hints if no test is possible.
std::string leads(const Study& study) {
  std::string failing, passing;
  for (const FactTest& test : study.tests) {
    if (test.is_number || test.effect < 1 - 1e-9) continue;
    const bool has_failing = test.value_failing > 0;
    if (test.value_devices != (has_failing ? test.failing : test.passing)) continue;
    std::string& text = has_failing ? failing : passing;
    text += (text.empty() ? "" : ", ") + named(test);
  }
  std::string out = failing.empty() ? "" : "every device that fails and no other has " + failing;
  if (!passing.empty())
    out += (out.empty() ? "" : "; ") + ("no device that fails and every other has " + passing);
  return out.empty() ? "" : "A lead, no evidence: " + out + ".";
}

std::vector<std::string> too_few(const Study& study) {
  const std::string failing = of(study.failing, study.devices.size()) + " failing";
  if (study.too_few == TooFew::kAllAlike)
    return {study.failing == 0 ? "No device fails: there is nothing to compare."
                               : "Every device fails: no other device to compare with."};
  if (study.too_few == TooFew::kNoFact)
    return {
        "No fact differs between some devices and is shared by others; describe them where they "
        "are recorded, e.g. probe.describe(\"driver\", \"535.2\")."};
  std::vector<std::string> out;
  if (study.least_p >= 0.05) {
    out.push_back("Too few devices to tell: the smallest possible p with " + failing + " is " +
                  number(study.least_p, 2) + ", and cannot reach 0.05.");
  } else {
    double least = 1;
    for (const FactTest& test : study.tests) least = std::min(least, test.least_p);
    out.push_back("Too few devices to tell: the smallest p that these facts can give with " +
                  failing + " is " + number(least, 2) +
                  (study.tested > 1 ? ", " + number(std::min(1.0, study.least_corrected_p), 2) +
                                          " by Holm's correction for " + count(study.tested, "test")
                                    : "") +
                  ", and cannot reach 0.05.");
  }
  if (std::string lead = leads(study); !lead.empty()) out.push_back(std::move(lead));
  return out;
}

std::string row(const FactTest& test) {
  const std::string p = !test.p_corrected
                            ? "not tested: p cannot be below " + number(test.least_p, 2)
                            : p_words(*test.p_corrected);
  const std::string effect = ", effect " + number(test.effect, 2) + ", " + p;
  if (test.is_number)
    return named(test) + ": median " + value_words(test.failing_median, test.unit) +
           " on those that fail, " + value_words(test.passing_median, test.unit) +
           " on the others" + effect;
  return named(test) + " (" + count(test.categories, "value") + "): " + split(test) + effect;
}

}  // namespace

std::vector<std::string> fleet_sentences(const Fleet& fleet) {
  const Study& study = fleet.study;
  std::vector<std::string> out{of(study.failing, study.devices.size()) + " devices fail. " +
                               sanitized(fleet.rule, 400)};
  if (study.too_few != TooFew::kNo) {
    for (std::string& sentence : too_few(study)) out.push_back(std::move(sentence));
    return out;
  }
  for (const auto& group : study.groups) out.push_back(group_sentence(study, group));
  for (const FactTest& test : study.tests)
    if (test.tells && test.is_number) out.push_back(number_sentence(study, test));
  if (out.size() == 1)
    out.push_back("None of " + count(study.tested, "test") +
                  " shows a fact that goes with the devices that fail.");
  else out.push_back("That they go together does not say that one causes the other.");
  return out;
}

std::vector<std::string> fleet_rows(const Fleet& fleet) {
  const Study& study = fleet.study;
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < std::min(kMostRows, study.tests.size()); ++i)
    rows.push_back(row(study.tests[i]));
  if (study.tests.size() > kMostRows)
    rows.push_back("and " + std::to_string(study.tests.size() - kMostRows) + " more");
  std::string rest;
  const auto add = [&](std::uint64_t n, const char* what) {
    if (n) rest += (rest.empty() ? "" : ", ") + count(n, "fact") + " " + what;
  };
  add(study.same, "the same on all");
  add(study.singular, "different on each");
  add(study.left_out, "too many");
  if (!rest.empty()) rows.push_back("not tested: " + rest);
  return rows;
}

}  // namespace edgeprobe::report
