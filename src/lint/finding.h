// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace edgeprobe::lint {

enum class Rule {
  kNotFinite,      ///< Weights that are NaN or infinite; a variance below 0.
  kBadScale,       ///< A scale that is zero, negative or no number.
  kWeightZero,     ///< A zero point of int8 weights, which the format forbids.
  kBiasScale,      ///< A bias in another unit than the sums it is added to.
  kBiasCutOff,     ///< A bias at the end of 32 bits.
  kWideWeights,    ///< Channels that use few codes of their weights' scale.
  kFewCodes,       ///< Values of a known range that have few codes.
  kSharedScale,    ///< Inputs that get few codes in the scale they share.
  kDynamic,        ///< Weights in codes on float32 values.
  kPartlyInteger,  ///< Layers with weights that stay in floating point among integer ones.
  kMixedTypes,     ///< Inputs of several types where the operator wants one.
};
const char* name(Rule rule);

enum class Level {
  kFault,  ///< What the file means is not what engines compute, or no number.
  kRisk,   ///< It costs accuracy if values are as large as the range says.
  kNote,   ///< A fact that people mistake.
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
