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

/// What a front end does otherwise, as faults: of sound and of readings alike.
namespace edgeprobe::diagnose {

/// One respect in which an app's front end differs from the reference's.
template <class FrontEnd>
struct FrontEndDifference {
  CauseKind kind = CauseKind::kUnknown;
  std::string detail;
  std::function<FrontEnd(FrontEnd)> mended;  ///< Any front end, with this as the reference has it.
  double apart = 0;  ///< Of the app's, mended, from what was recorded; infinite: it cannot be run.
};

/// The steps of `mended` that are others in `app`, or none there.
inline std::string steps_to_take(const preprocess::Recipe& app, const preprocess::Recipe& mended) {
  const auto before = preprocess::spelled(app), after = preprocess::spelled(mended);
  std::string steps;
  for (const preprocess::Spelled& step : after)
    if (std::none_of(before.begin(), before.end(),
                     [&](const preprocess::Spelled& old) { return old.text == step.text; }))
      steps += (steps.empty() ? "" : " | ") + step.text;
  return steps;
}

/// By contribution, largest first; each recipe is without its own fault and all before it.
/// `all_of`: the distance of the reference itself, which a fault has that leaves nothing to run.
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

/// Explanations as good as the faults, in words, beside the first of them.
inline void add_alternatives(std::vector<InputFault>& faults,
                             const std::vector<std::string>& others) {
  if (faults.empty()) return;
  auto& known = faults.front().alternatives;
  for (const std::string& text : others)
    if (!text.empty() && std::find(known.begin(), known.end(), text) == known.end())
      known.push_back(text);
}

/// What a diagnosis says where it can say no more.
struct FrontEndWords {
  const char* destroyed;      ///< Hardly any values are left.
  const char* others_differ;  ///< What was searched is the reference's, and the rest is not.
};

/// What was found in some of the observations, without its faults. `holds`: all of them bear it
/// out.
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
        "one window does not tell a number of the app's from a figure of the window itself, and a "
        "second one does";
  return out;
}

/// Whether a search found another front end than the reference's.
template <class FrontEnd>
bool has_app(const search::Found<FrontEnd>& found) {
  using Status = typename search::Found<FrontEnd>::Status;
  return found.status == Status::kExact || found.status == Status::kMeasured ||
         found.status == Status::kPartial;
}

}  // namespace edgeprobe::diagnose
