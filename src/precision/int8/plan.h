// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "precision/int8/codes.h"
#include "precision/step/step.h"

namespace edgeprobe::precision {

/// Whether each output channel of weights has a scale of its own.
enum class WeightScales { kByChannel, kOne };

/// What converters make of a model: the operators that compute on codes, and the codes of tensors.
struct Int8 {
  std::vector<bool> steps;  ///< By step: computes on codes.
  /// By step: the one without whose codes it stays in float32; -1 for those of their own.
  std::vector<int> follows;
  std::map<int, Codes> codes;  ///< Of computed tensors.
  /// Nothing stores the tensor: what reads it, a Relu or Clip, is put into what makes it.
  std::vector<bool> passed;
  WeightScales weights = WeightScales::kByChannel;
  float stored(int tensor, float value) const;
};

/// How a converter takes ranges over the frames that calibrate.
enum class RangeRule {
  kEnds,     ///< The lowest and the highest value of all.
  kAverage,  ///< Those of the first frame, moved by a twentieth towards each frame after it.
};
/// What converters of the format do: ONNX Runtime's quantize_static, ai-edge-quantizer.
RangeRule range_rule(const model::Graph& graph);

/// Lowest and highest value of each tensor that some step reads or makes.
using Ranges = std::map<int, std::pair<float, float>>;

/// By the rules of ONNX Runtime's quantize_static (QDQ form, its default operators) and of
/// ai-edge-quantizer (static_wi8_ai8): codes of 8 bits for each tensor; a layer that only moves
/// values, or an average pool, keeps the codes of its input; softmax and sigmoid have fixed ones.
Int8 int8_of(const model::Graph& graph, const std::vector<Step>& steps, const Ranges& ranges);

}  // namespace edgeprobe::precision
