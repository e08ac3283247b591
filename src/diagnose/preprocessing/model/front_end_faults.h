// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/preprocessing/model/input_diagnosis.h"
#include "search/found.h"

/// Deviations of a front end as faults, for both sound and readings.
namespace edgeprobe::diagnose {

/// One difference between an app's front end and the reference's.
template <class FrontEnd>
struct FrontEndDifference {
  CauseKind kind = CauseKind::kUnknown;
  std::string detail;
  /// Returns a front end with this property set to the reference's.
  std::function<FrontEnd(FrontEnd)> mended;
  /// Distance of the app's repaired front end from the recording; infinite if it cannot run.
  double apart = 0;
};

/// Steps of `mended` that differ in `app` or are missing there.
inline std::string steps_to_take(const preprocess::Recipe& app, const preprocess::Recipe& mended) {
  const auto before = preprocess::spelled(app), after = preprocess::spelled(mended);
  std::string steps;
  for (const preprocess::Spelled& step : after)
    if (std::none_of(before.begin(), before.end(),
                     [&](const preprocess::Spelled& old) { return old.text == step.text; }))
      steps += (steps.empty() ? "" : " | ") + step.text;
  return steps;
}

/// Sorted by contribution, largest first; each recipe lacks its own fault and all earlier ones.
/// `all_of`: distance of the reference itself, used for a fault after whose repair nothing can run.
template <class FrontEnd, class ToRecipe>
std::vector<InputFault> faults_of(const FrontEnd& app,
                                  std::vector<FrontEndDifference<FrontEnd>> differences,
                                  double all_of, double per_unit, ToRecipe recipe) {
  for (FrontEndDifference<FrontEnd>& one : differences)
    if (!std::isfinite(one.apart)) one.apart = all_of;
  std::stable_sort(differences.begin(), differences.end(),
                   [](const auto& a, const auto& b) { return a.apart > b.apart; });
  std::vector<InputFault> faults;
  FrontEnd mended = app;
  for (const FrontEndDifference<FrontEnd>& one : differences) {
    mended = one.mended(std::move(mended));
    InputFault fault;
    fault.kind = one.kind;
    fault.detail = one.detail;
    fault.contribution = one.apart * per_unit;
    fault.fix_step = steps_to_take(recipe(app), recipe(one.mended(app)));
    fault.without_it = recipe(mended);
    faults.push_back(std::move(fault));
  }
  return faults;
}

/// Adds explanations that fit equally well to the first fault, as text.
inline void add_alternatives(std::vector<InputFault>& faults,
                             const std::vector<std::string>& others) {
  if (faults.empty()) return;
  auto& known = faults.front().alternatives;
  for (const std::string& text : others)
    if (!text.empty() && std::find(known.begin(), known.end(), text) == known.end())
      known.push_back(text);
}

/// Reasons for a diagnosis without a finding.
struct FrontEndWords {
  const char* destroyed;      ///< Hardly any distinct values are left.
  const char* others_differ;  ///< The searched properties equal the reference's; others do not.
};

/// Diagnosis from a search over some observations, still without faults. `holds`: all observations
/// confirm it.
template <class FrontEnd>
InputDiagnosis judged_front_end(const search::Found<FrontEnd>& found, bool holds,
                                std::size_t observations, double per_unit,
                                const FrontEndWords& words) {
  using Status = typename search::Found<FrontEnd>::Status;
  InputDiagnosis out;
  out.frames_used = observations;
  out.residual_before = found.before * per_unit;
  out.residual = found.left * per_unit;
  if (found.status == Status::kDestroyed || (found.status == Status::kEqual && !holds)) {
    out.status = InputDiagnosis::Status::kUndecidable;
    out.reason = found.status == Status::kDestroyed ? words.destroyed : words.others_differ;
    return out;
  }
  if (found.status == Status::kEqual) out.status = InputDiagnosis::Status::kEqual;
  else if (found.status == Status::kExact && holds) out.status = InputDiagnosis::Status::kFound;
  else out.status = InputDiagnosis::Status::kPartial;
  if (out.status != InputDiagnosis::Status::kPartial) out.frames_agreeing = observations;
  if (found.status == Status::kMeasured && holds)
    out.reason =
        "one window cannot distinguish a constant of the app from a statistic of the window "
        "itself; a "
        "second one can";
  return out;
}

/// True if a search found a front end that differs from the reference's.
template <class FrontEnd>
bool has_app(const search::Found<FrontEnd>& found) {
  using Status = typename search::Found<FrontEnd>::Status;
  return found.status == Status::kExact || found.status == Status::kMeasured ||
         found.status == Status::kPartial;
}

}  // namespace edgeprobe::diagnose
