// SPDX-License-Identifier: Apache-2.0
#include "compare/align/op_kind.h"

#include <algorithm>
#include <array>
#include <utility>

namespace edgeprobe::compare {
namespace {

using Entry = std::pair<std::string_view, std::string_view>;

// Sorted by type (upper case before lower). A depthwise convolution equals ONNX's Conv with groups,
// so both are "conv".
constexpr std::array kKinds{
    Entry{"ADD", "add"},
    Entry{"ADD_N", "add"},
    Entry{"ARG_MAX", "argmax"},
    Entry{"AVERAGE_POOL_2D", "avgpool"},
    Entry{"Add", "add"},
    Entry{"ArgMax", "argmax"},
    Entry{"AveragePool", "avgpool"},
    Entry{"AveragePooling2D", "avgpool"},
    Entry{"BATCH_MATMUL", "matmul"},
    Entry{"BatchNorm", "batchnorm"},
    Entry{"BatchNormalization", "batchnorm"},
    Entry{"CAST", "cast"},
    Entry{"CONCATENATION", "concat"},
    Entry{"CONV_2D", "conv"},
    Entry{"CONV_3D", "conv"},
    Entry{"Cast", "cast"},
    Entry{"Clip", "clip"},
    Entry{"Concat", "concat"},
    Entry{"Concatenate", "concat"},
    Entry{"Conv", "conv"},
    Entry{"Conv1D", "conv"},
    Entry{"Conv2D", "conv"},
    Entry{"Conv2DTranspose", "deconv"},
    Entry{"ConvInteger", "conv"},
    Entry{"ConvTranspose", "deconv"},
    Entry{"Convolution", "conv"},
    Entry{"ConvolutionDepthWise", "conv"},
    Entry{"ConvolutionDepthwise", "conv"},
    Entry{"DEPTHWISE_CONV_2D", "conv"},
    Entry{"DEPTH_TO_SPACE", "depth_to_space"},
    Entry{"DEQUANTIZE", "convert"},
    Entry{"DIV", "div"},
    Entry{"Deconvolution", "deconv"},
    Entry{"Dense", "matmul"},
    Entry{"DepthToSpace", "depth_to_space"},
    Entry{"DepthwiseConv2D", "conv"},
    Entry{"DequantizeLinear", "convert"},
    Entry{"Div", "div"},
    Entry{"DynamicQuantizeLinear", "convert"},
    Entry{"ELU", "elu"},
    Entry{"EXP", "exp"},
    Entry{"EXPAND_DIMS", "reshape"},
    Entry{"Elu", "elu"},
    Entry{"Exp", "exp"},
    Entry{"ExpandDims", "reshape"},
    Entry{"FULLY_CONNECTED", "matmul"},
    Entry{"Flatten", "reshape"},
    Entry{"GATHER", "gather"},
    Entry{"GELU", "gelu"},
    Entry{"Gather", "gather"},
    Entry{"Gelu", "gelu"},
    Entry{"Gemm", "matmul"},
    Entry{"GlobalAveragePool", "mean"},
    Entry{"GlobalAveragePooling2D", "mean"},
    Entry{"GlobalMaxPool", "reduce_max"},
    Entry{"GlobalMaxPooling2D", "reduce_max"},
    Entry{"HARD_SWISH", "hardswish"},
    Entry{"HardSigmoid", "hardsigmoid"},
    Entry{"HardSwish", "hardswish"},
    Entry{"InnerProduct", "matmul"},
    Entry{"Interp", "resize"},
    Entry{"L2_NORMALIZATION", "l2norm"},
    Entry{"LEAKY_RELU", "leakyrelu"},
    Entry{"LOCAL_RESPONSE_NORMALIZATION", "lrn"},
    Entry{"LOGISTIC", "sigmoid"},
    Entry{"LOG_SOFTMAX", "logsoftmax"},
    Entry{"LRN", "lrn"},
    Entry{"LeakyReLU", "leakyrelu"},
    Entry{"LeakyRelu", "leakyrelu"},
    Entry{"LogSoftmax", "logsoftmax"},
    Entry{"LpNormalization", "l2norm"},
    Entry{"MAXIMUM", "max"},
    Entry{"MAX_POOL_2D", "maxpool"},
    Entry{"MEAN", "mean"},
    Entry{"MINIMUM", "min"},
    Entry{"MIRROR_PAD", "pad"},
    Entry{"MUL", "mul"},
    Entry{"MatMul", "matmul"},
    Entry{"MatMulInteger", "matmul"},
    Entry{"Max", "max"},
    Entry{"MaxPool", "maxpool"},
    Entry{"MaxPooling2D", "maxpool"},
    Entry{"Min", "min"},
    Entry{"Mul", "mul"},
    Entry{"Multiply", "mul"},
    Entry{"NEG", "neg"},
    Entry{"Neg", "neg"},
    Entry{"PACK", "concat"},
    Entry{"PAD", "pad"},
    Entry{"PADV2", "pad"},
    Entry{"POW", "pow"},
    Entry{"PRELU", "prelu"},
    Entry{"PReLU", "prelu"},
    Entry{"PRelu", "prelu"},
    Entry{"Pad", "pad"},
    Entry{"Padding", "pad"},
    Entry{"Permute", "transpose"},
    Entry{"Pow", "pow"},
    Entry{"QLinearConv", "conv"},
    Entry{"QLinearMatMul", "matmul"},
    Entry{"QUANTIZE", "convert"},
    Entry{"QuantizeLinear", "convert"},
    Entry{"REDUCE_MAX", "reduce_max"},
    Entry{"RELU", "relu"},
    Entry{"RELU6", "clip"},
    Entry{"RELU_N1_TO_1", "clip"},
    Entry{"RESHAPE", "reshape"},
    Entry{"RESIZE_BILINEAR", "resize"},
    Entry{"RESIZE_NEAREST_NEIGHBOR", "resize"},
    Entry{"RSQRT", "rsqrt"},
    Entry{"ReLU", "relu"},
    Entry{"ReLU6", "clip"},
    Entry{"ReduceMax", "reduce_max"},
    Entry{"ReduceMean", "mean"},
    Entry{"ReduceSum", "sum"},
    Entry{"Relu", "relu"},
    Entry{"Reshape", "reshape"},
    Entry{"Resize", "resize"},
    Entry{"SLICE", "slice"},
    Entry{"SOFTMAX", "softmax"},
    Entry{"SPACE_TO_DEPTH", "space_to_depth"},
    Entry{"SPLIT", "split"},
    Entry{"SQRT", "sqrt"},
    Entry{"SQUARED_DIFFERENCE", "squared_difference"},
    Entry{"SQUEEZE", "reshape"},
    Entry{"STRIDED_SLICE", "slice"},
    Entry{"SUB", "sub"},
    Entry{"SUM", "sum"},
    Entry{"Sigmoid", "sigmoid"},
    Entry{"Slice", "slice"},
    Entry{"SoftMax", "softmax"},
    Entry{"Softmax", "softmax"},
    Entry{"SpaceToDepth", "space_to_depth"},
    Entry{"Split", "split"},
    Entry{"Sqrt", "sqrt"},
    Entry{"Squeeze", "reshape"},
    Entry{"Sub", "sub"},
    Entry{"Subtract", "sub"},
    Entry{"Sum", "add"},
    Entry{"TANH", "tanh"},
    Entry{"TRANSPOSE", "transpose"},
    Entry{"TRANSPOSE_CONV", "deconv"},
    Entry{"TanH", "tanh"},
    Entry{"Tanh", "tanh"},
    Entry{"Transpose", "transpose"},
    Entry{"UNPACK", "split"},
    Entry{"Unsqueeze", "reshape"},
    Entry{"UpSampling2D", "resize"},
    Entry{"Upsample", "resize"},
    Entry{"ZeroPadding2D", "pad"},
    Entry{"com.microsoft:FusedConv", "conv"},
    Entry{"com.microsoft:FusedGemm", "matmul"},
    Entry{"com.microsoft:QGemm", "matmul"},
    Entry{"com.microsoft:QLinearAdd", "add"},
    Entry{"com.microsoft:QLinearAveragePool", "avgpool"},
    Entry{"com.microsoft:QLinearConcat", "concat"},
    Entry{"com.microsoft:QLinearGlobalAveragePool", "mean"},
    Entry{"com.microsoft:QLinearLeakyRelu", "leakyrelu"},
    Entry{"com.microsoft:QLinearMul", "mul"},
    Entry{"com.microsoft:QLinearSigmoid", "sigmoid"},
    Entry{"com.microsoft:QLinearSoftmax", "softmax"},
};
static_assert(std::is_sorted(kKinds.begin(), kKinds.end(),
                             [](const Entry& a, const Entry& b) { return a.first < b.first; }));

}  // namespace

std::string_view op_kind(std::string_view type) {
  const auto at = std::lower_bound(
      kKinds.begin(), kKinds.end(), type,
      [](const Entry& entry, std::string_view wanted) { return entry.first < wanted; });
  return at != kKinds.end() && at->first == type ? at->second : type;
}

bool is_conversion(std::string_view type) { return op_kind(type) == "convert"; }

bool computes_in_codes(std::string_view type) {
  constexpr std::string_view kMicrosoft = "com.microsoft:";
  const bool of_runtime = type.substr(0, kMicrosoft.size()) == kMicrosoft;
  const std::string_view plain = of_runtime ? type.substr(kMicrosoft.size()) : type;
  const std::string_view end = "Integer";
  return type == "QUANTIZE" || plain == "QuantizeLinear" || plain == "DynamicQuantizeLinear" ||
         plain.substr(0, 7) == "QLinear" || plain == "QGemm" || plain == "QAttention" ||
         (plain.size() > end.size() && plain.substr(plain.size() - end.size()) == end);
}

bool is_movement(std::string_view type) {
  const std::string_view kind = op_kind(type);
  return kind == "reshape" || kind == "transpose";
}

}  // namespace edgeprobe::compare
