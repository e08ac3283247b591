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
  /// The real value after quantisation.
  float stored(float value) const;
};
/// Codes as converters derive them from calibration values: 255 steps, including zero.
Codes codes_of(float low, float high);
/// Codes with 127 steps on each side of zero, as for weights.
Codes even_codes_of(float largest);

/// Whether each output channel of weights has its own scale.
enum class WeightScales { kByChannel, kOne };

/// A converter's result for a model: the quantised operators, and the codes of tensors.
struct Int8 {
  std::vector<bool> steps;  ///< By step: True if it computes on codes.
  /// By step: the step whose codes it depends on, without which it stays in float32; -1 for those
  /// with their own.
  std::vector<int> follows;
  std::map<int, Codes> codes;  ///< For computed tensors.
  /// The tensor is not stored: its reader, a Relu or Clip, is fused into its maker.
  std::vector<bool> passed;
  WeightScales weights = WeightScales::kByChannel;
  float stored(int tensor, float value) const;
};

/// How a converter combines ranges over the calibration frames.
enum class RangeRule {
  kEnds,     ///< The lowest and the highest value of all.
  kAverage,  ///< The ends of the first frame, moved by a twentieth towards those of each later
             ///< frame.
};
/// The rule of the format's converter: ONNX Runtime's quantize_static or ai-edge-quantizer.
RangeRule range_rule(const model::Graph& graph);

/// Lowest and highest value of each tensor that some step reads or makes.
using Ranges = std::map<int, std::pair<float, float>>;

/// Quantises by the rules of ONNX Runtime's quantize_static (QDQ form, its default operators) and
/// of ai-edge-quantizer (static_wi8_ai8): 8-bit codes for each tensor; a layer that only moves
/// values, or an average pool, keeps the codes of its input; softmax and sigmoid have fixed codes.
Int8 int8_of(const model::Graph& graph, const std::vector<Step>& steps, const Ranges& ranges);

/// Writes the constants after quantisation into `file`: weights by output channel or with one
/// scale, with a batch norm folded in; biases in steps of input scale times weight scale; other
/// operands with one scale.
Status quantise_constants(const model::Graph& graph, ByteView original,
                          const std::vector<model::Attributes>& attributes,
                          const std::vector<Step>& steps, const std::vector<Tail>& tails,
                          const Int8& plan, Bytes& file);

}  // namespace edgeprobe::precision
