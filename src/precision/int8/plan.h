// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/result.h"
#include "model/attributes.h"
#include "precision/step/step.h"
#include "precision/step/tail.h"

namespace edgeprobe::precision {

/// Codes of a tensor: real = scale * (code - zero).
struct Codes {
  float scale = 1;
  int zero = 0;
  int low = -128, high = 127;
  /// The real number that is left of one.
  float stored(float value) const;
};
/// As converters make them of the values that calibrate: 255 steps, zero among them.
Codes codes_of(float low, float high);
/// 127 steps on each side of zero, as weights have them.
Codes even_codes_of(float largest);

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

/// Writes into `file` what is left of the constants: weights by output channel or as a whole, with
/// a batch norm in them, biases in steps of input times weight, other operands as a whole.
Status quantise_constants(const model::Graph& graph, ByteView original,
                          const std::vector<model::Attributes>& attributes,
                          const std::vector<Step>& steps, const std::vector<Tail>& tails,
                          const Int8& plan, Bytes& file);

}  // namespace edgeprobe::precision
