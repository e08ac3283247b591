// SPDX-License-Identifier: Apache-2.0
#include "report/text/contract.h"

#include <algorithm>

#include "core/text.h"
#include "report/text/columns.h"

namespace edgeprobe::report {
namespace {

using contract::Effect;
using contract::Mutant;

constexpr std::size_t kKind = 20, kWhat = 46, kChanged = 12, kDistance = 9, kWidth = 140;

std::string row(const std::string& kind, const std::string& what, const std::string& changed,
                const std::string& distance, const std::string& caught) {
  std::string text = padded(kind, kKind) + padded(shortened(what, kWhat - 1, kWhat / 2), kWhat) +
                     right(changed, kChanged) + right(distance, kDistance) + "  ";
  return text + shortened(caught, kWidth - kKind - kWhat - kChanged - kDistance - 2, 20) + "\n";
}

std::string caught_text(const Mutant& mutant) {
  if (mutant.caught_by.empty()) return mutant.effect == Effect::kMatters ? "MISSED" : "not caught";
  std::string text;
  for (const std::string& id : mutant.caught_by)
    text += (text.empty() ? "" : ", ") + sanitized(id, 80);
  return text;
}

std::string row(const Mutant& mutant) {
  return row(mutant.kind, sanitized(mutant.what, 200),
             std::to_string(mutant.answers_changed) + " of " + std::to_string(mutant.frames),
             mutant.distance ? number(*mutant.distance, 2) : "-", caught_text(mutant));
}

void add(const contract::MutationReport& report, Effect effect, const char* title,
         std::string& text) {
  if (report.count(effect) == 0) return;
  text += std::string(title) + "\n";
  for (const bool caught : {false, true})
    for (const Mutant& one : report.mutants)
      if (one.failure.empty() && one.effect == effect && one.caught_by.empty() != caught)
        text += row(one);
}

}  // namespace

std::string mutation_text(const contract::MutationReport& report) {
  if (!report.broken.empty())
    return contract_text(contract::Report{report.broken, {}}, "without any fault") +
           "no fault was planted: the contract already fails on this pipeline; fix it first\n";
  std::string text = row("fault", "", "answers", "output", "");
  text += row("", "", "changed", "distance", "caught by");
  add(report, Effect::kMatters, "faults that change answers, or outputs beyond the floor", text);
  add(report, Effect::kHarmless, "faults that change inputs, and no answer", text);
  add(report, Effect::kNone, "without any effect on these samples", text);
  for (const Mutant& one : report.mutants)
    if (!one.failure.empty())
      text += row(one.kind, sanitized(one.what, 200), "-", "-",
                  "not run: " + sanitized(one.failure, 200));
  if (!report.unplanted.empty()) text += "not planted\n";
  for (const contract::Unplanted& one : report.unplanted)
    text += wrapped(
        "  ",
        one.kind + (one.what.empty() ? "" : ": " + sanitized(one.what, 200)) + " (" + one.why + ")",
        kWidth);
  const std::size_t matters = report.count(Effect::kMatters),
                    caught = report.caught(Effect::kMatters);
  if (matters == 0)
    return text + "no fault changes an answer of these " + std::to_string(report.frames) +
           " samples: nothing to catch\n";
  return text + "caught: " + std::to_string(caught) + " of " + std::to_string(matters) +
         " faults that matter (" +
         percent(static_cast<double>(caught) / static_cast<double>(matters), 0) + "), " +
         std::to_string(report.caught(Effect::kHarmless)) + " of " +
         std::to_string(report.count(Effect::kHarmless)) + " harmless ones; " +
         std::to_string(report.frames) + " samples, floor " + number(report.floor, 2) + "\n";
}

}  // namespace edgeprobe::report
