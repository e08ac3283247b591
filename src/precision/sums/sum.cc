// SPDX-License-Identifier: Apache-2.0
#include "precision/sums/sum.h"

#include <algorithm>
#include <string_view>

#include "precision/sums/operand.h"

namespace edgeprobe::precision {
namespace {

using std::size_t;

float relu_of(const model::Attributes& all, float value) {
  const std::string fused = attribute<std::string>(all, "fused_activation", "NONE");
  if (fused == "RELU") return std::max(value, 0.0F);
  if (fused == "RELU6") return std::min(std::max(value, 0.0F), 6.0F);
  if (fused == "RELU_N1_TO_1") return std::min(std::max(value, -1.0F), 1.0F);
  return value;
}
bool knows_activation(const model::Attributes& all) {
  const std::string fused = attribute<std::string>(all, "fused_activation", "NONE");
  return fused == "NONE" || fused == "RELU" || fused == "RELU6" || fused == "RELU_N1_TO_1";
}

Result<Summed> dispatch(const Sum& work, Accumulator accumulator) {
  const std::string& type = work.layer->type;
  if (type == "CONV_2D" || type == "DEPTHWISE_CONV_2D") return conv_tflite(work, accumulator);
  if (type == "Conv") return conv_onnx(work, accumulator);
  if (type == "SUM" || type == "MEAN" || type == "ReduceSum" || type == "ReduceMean" ||
      type == "GlobalAveragePool")
    return reduction(work, accumulator);
  return product_of(work, accumulator);
}

}  // namespace

bool is_sum(const model::Layer& layer) {
  static constexpr std::string_view kKnown[] = {"CONV_2D",
                                                "DEPTHWISE_CONV_2D",
                                                "FULLY_CONNECTED",
                                                "BATCH_MATMUL",
                                                "SUM",
                                                "MEAN",
                                                "Conv",
                                                "Gemm",
                                                "MatMul",
                                                "ReduceSum",
                                                "ReduceMean",
                                                "GlobalAveragePool"};
  return std::find(std::begin(kKnown), std::end(kKnown), layer.type) != std::end(kKnown);
}

Result<Summed> sum(const Sum& work, Accumulator accumulator) {
  const bool pair = work.layer->type != "SUM" && work.layer->type != "MEAN" &&
                    work.layer->type != "ReduceSum" && work.layer->type != "ReduceMean" &&
                    work.layer->type != "GlobalAveragePool";
  if (!is_sum(*work.layer)) return unknown(work.layer->type);
  if (work.inputs.empty() || !work.inputs[0] ||
      (pair && (work.inputs.size() < 2 || !work.inputs[1])))
    return unknown("an operator without its operands");
  if (!knows_activation(*work.attributes)) return unknown("that fused activation");
  auto made = dispatch(work, accumulator);
  if (!made) return made;
  size_t wanted = 1;
  for (const std::int64_t dim : work.output) wanted *= static_cast<size_t>(dim);
  if (made->values.size() != wanted) return unknown("an operator of that shape");
  for (float& value : made->values) value = relu_of(*work.attributes, value);
  return made;
}

}  // namespace edgeprobe::precision
