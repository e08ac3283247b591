// SPDX-License-Identifier: Apache-2.0
#include "lint/finding.h"

namespace edgeprobe::lint {

const char* name(Rule rule) {
  switch (rule) {
    case Rule::kNotFinite: return "not_finite";
    case Rule::kBadScale: return "bad_scale";
    case Rule::kWeightZero: return "weight_zero_point";
    case Rule::kBiasScale: return "bias_scale";
    case Rule::kBiasCutOff: return "bias_cut_off";
    case Rule::kWideWeights: return "wide_weights";
    case Rule::kFewCodes: return "few_codes";
    case Rule::kSharedScale: return "shared_scale";
    case Rule::kDynamic: return "dynamic_range";
    case Rule::kPartlyInteger: return "partly_integer";
    case Rule::kMixedTypes: break;
  }
  return "mixed_types";
}

const char* name(Level level) {
  return level == Level::kFault ? "fault" : level == Level::kRisk ? "risk" : "note";
}

}  // namespace edgeprobe::lint
