// SPDX-License-Identifier: Apache-2.0
#include "cli/fix/mendable.h"

#include <algorithm>

namespace edgeprobe::cli {
namespace {

using diagnose::Cause;
using diagnose::CauseKind;
using diagnose::CauseStatus;

bool is_confirmed(const Cause& cause) {
  return cause.status == CauseStatus::kConfirmed || cause.status == CauseStatus::kNearly;
}

/// True for a cause before the model or between its steps: a new model file does not fix it.
bool is_of_app(const Cause& cause) {
  return cause.stage == diagnose::CauseStage::kPreprocessing ||
         cause.stage == diagnose::CauseStage::kState;
}

}  // namespace

std::string no_use_of_quantising(const Judged& judged) {
  const auto& causes = judged.verdict->causes;
  const auto only = [&](CauseKind kind) {
    return std::any_of(causes.begin(), causes.end(),
                       [&](const Cause& one) { return is_confirmed(one) && one.kind == kind; }) &&
           std::none_of(causes.begin(), causes.end(), [&](const Cause& one) {
             return is_confirmed(one) && !is_of_app(one) && one.kind != kind;
           });
  };
  if (only(CauseKind::kKernel))
    return "a kernel of the engine is at fault: no model file fixes it; use another kernel or "
           "version of the engine";
  if (only(CauseKind::kOutputOrder))
    return "outputs are in each other's place: the app has to read them by name";
  if (only(CauseKind::kPostprocessing))
    return "the fault is in what the app makes of the outputs: no model file fixes it";
  if (only(CauseKind::kPrecision))
    return "the engine computes in less than float32: that is a setting of the engine, not of the "
           "file";
  if (only(CauseKind::kOtherModel))
    return "the target holds another model than the reference: convert the model that was meant";
  if (!judged.quantised)
    return "the target computes in real numbers: there is nothing to quantise again; convert the "
           "reference anew, or fix the layer that is named";
  return "";
}

bool has_input_fault(const diagnose::Verdict& verdict) {
  return std::any_of(verdict.causes.begin(), verdict.causes.end(), [](const Cause& one) {
    return is_confirmed(one) && one.stage == diagnose::CauseStage::kPreprocessing;
  });
}

bool has_model_fault(const diagnose::Verdict& verdict) {
  return std::any_of(verdict.causes.begin(), verdict.causes.end(),
                     [](const Cause& one) { return is_confirmed(one) && !is_of_app(one); });
}

}  // namespace edgeprobe::cli
