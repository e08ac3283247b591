// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "model/onnx/onnx.h"

namespace edgeprobe::model {
namespace {

// Defaults of ONNX's operators (https://onnx.ai/onnx/operators/): by "Type.attribute", or by
// attribute only if all operators with it agree. The reader of .tflite files already fills in
// theirs.
const std::map<std::string, AttributeValue>& onnx_defaults() {
  using Value = AttributeValue;
  const auto whole = [](std::int64_t value) { return Value(value); };
  const auto real = [](float value) { return Value(value); };
  const auto text = [](const char* value) { return Value(std::string(value)); };
  static const std::map<std::string, Value> defaults{
      {"group", whole(1)},
      {"auto_pad", text("NOTSET")},
      {"ceil_mode", whole(0)},
      {"count_include_pad", whole(0)},
      {"storage_order", whole(0)},
      {"epsilon", real(1e-5f)},
      {"transA", whole(0)},
      {"transB", whole(0)},
      {"keepdims", whole(1)},
      {"select_last_index", whole(0)},
      {"noop_with_empty_axes", whole(0)},
      {"allowzero", whole(0)},
      {"approximate", text("none")},
      {"direction", text("forward")},
      {"layout", whole(0)},
      {"linear_before_reset", whole(0)},
      {"input_forget", whole(0)},
      {"fmod", whole(0)},
      {"exclusive", whole(0)},
      {"reverse", whole(0)},
      {"largest", whole(1)},
      {"sorted", whole(1)},
      {"nearest_mode", text("round_prefer_floor")},
      {"cubic_coeff_a", real(-0.75f)},
      {"exclude_outside", whole(0)},
      {"extrapolation_value", real(0)},
      {"antialias", whole(0)},
      {"Resize.coordinate_transformation_mode", text("half_pixel")},
      {"Resize.mode", text("nearest")},
      {"Upsample.mode", text("nearest")},
      {"Pad.mode", text("constant")},
      {"Pad.value", real(0)},
      {"DepthToSpace.mode", text("DCR")},
      {"LeakyRelu.alpha", real(0.01f)},
      {"Elu.alpha", real(1)},
      {"Celu.alpha", real(1)},
      {"ThresholdedRelu.alpha", real(1)},
      {"Selu.alpha", real(1.67326319217681884765625f)},
      {"Selu.gamma", real(1.05070102214813232421875f)},
      {"HardSigmoid.alpha", real(0.2f)},
      {"HardSigmoid.beta", real(0.5f)},
      {"Gemm.alpha", real(1)},
      {"Gemm.beta", real(1)},
      {"LRN.alpha", real(1e-4f)},
      {"LRN.beta", real(0.75f)},
      {"LRN.bias", real(1)},
      {"LpNormalization.p", whole(2)},
      {"LpPool.p", whole(2)},
      {"Flatten.axis", whole(1)},
      {"Gather.axis", whole(0)},
      {"GatherElements.axis", whole(0)},
      {"ScatterElements.axis", whole(0)},
      {"ArgMax.axis", whole(0)},
      {"ArgMin.axis", whole(0)},
      {"Split.axis", whole(0)},
      {"LayerNormalization.axis", whole(-1)},
      {"LpNormalization.axis", whole(-1)},
      {"OneHot.axis", whole(-1)},
      {"TopK.axis", whole(-1)},
      {"QuantizeLinear.axis", whole(1)},
      {"DequantizeLinear.axis", whole(1)},
  };
  return defaults;
}

}  // namespace

// Softmax was redefined in version 13: with an older set it flattens from its axis on.
std::optional<AttributeValue> default_attribute_onnx(const Layer& layer, const std::string& name) {
  const std::string& type = layer.type;
  if (name == "axis" && (type == "Softmax" || type == "LogSoftmax" || type == "Hardmax"))
    return AttributeValue(std::int64_t{layer.version < 13 ? 1 : -1});
  const auto& defaults = onnx_defaults();
  for (const std::string& key : {type + "." + name, name})
    if (const auto found = defaults.find(key); found != defaults.end()) return found->second;
  return std::nullopt;
}

}  // namespace edgeprobe::model
