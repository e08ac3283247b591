// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace edgeprobe::lint {

enum class Rule {
  kNotFinite,      ///< Weights that are NaN or infinite; a negative variance.
  kBadScale,       ///< A scale that is zero, negative or not a number.
  kWeightZero,     ///< A zero point for int8 weights, which the format forbids.
  kBiasScale,      ///< A bias in a different unit from the sums it is added to.
  kBiasCutOff,     ///< A bias at the limit of 32 bits.
  kWideWeights,    ///< Channels that use few codes of their weights' scale.
  kFewCodes,       ///< Values of a known range with few codes.
  kSharedScale,    ///< Inputs that get few codes because they share a scale.
  kDynamic,        ///< Quantised weights in layers whose other values are float32.
  kPartlyInteger,  ///< Layers with floating-point weights among integer layers.
  kMixedTypes,     ///< Inputs of several types where the operator requires one.
};
const char* name(Rule rule);

enum class Level {
  kFault,  ///< The file's meaning differs from what engines compute, or is not a number.
  kRisk,   ///< Costs accuracy if values are as large as the range allows.
  kNote,   ///< A fact that is easily misunderstood.
};
const char* name(Level level);

struct Finding {
  Rule rule;
  Level level;
  int layer;   ///< Graph::layers; -1 for the whole model.
  int tensor;  ///< Graph::tensors; -1 for none.
  std::string text;
};
using Findings = std::vector<Finding>;

}  // namespace edgeprobe::lint
