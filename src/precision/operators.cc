// SPDX-License-Identifier: Apache-2.0
#include "precision/operators.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace edgeprobe::precision {
namespace {

template <std::size_t n>
bool is_among(const std::string_view (&types)[n], std::string_view type) {
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

}  // namespace

bool multiplies(const std::string& type) {
  static constexpr std::string_view kTypes[] = {"Conv",
                                                "ConvTranspose",
                                                "Gemm",
                                                "MatMul",
                                                "CONV_2D",
                                                "CONV_3D",
                                                "DEPTHWISE_CONV_2D",
                                                "FULLY_CONNECTED",
                                                "BATCH_MATMUL",
                                                "TRANSPOSE_CONV"};
  return is_among(kTypes, type);
}

bool adds_otherwise(const std::string& type) {
  static constexpr std::string_view kTypes[] = {"ConvTranspose",
                                                "AveragePool",
                                                "LayerNormalization",
                                                "InstanceNormalization",
                                                "GroupNormalization",
                                                "Einsum",
                                                "ReduceL1",
                                                "ReduceL2",
                                                "ReduceSumSquare",
                                                "ReduceLogSum",
                                                "ReduceLogSumExp",
                                                "LpPool",
                                                "GlobalLpPool",
                                                "LRN",
                                                "CumSum",
                                                "Attention",
                                                "com.microsoft:FusedConv",
                                                "com.microsoft:FusedGemm",
                                                "com.microsoft:FusedMatMul",
                                                "com.microsoft:Attention",
                                                "com.microsoft:MultiHeadAttention",
                                                "com.microsoft:SkipLayerNormalization",
                                                "LSTM",
                                                "GRU",
                                                "RNN",
                                                "TRANSPOSE_CONV",
                                                "CONV_3D",
                                                "AVERAGE_POOL_2D",
                                                "UNIDIRECTIONAL_SEQUENCE_LSTM"};
  return is_among(kTypes, type);
}

}  // namespace edgeprobe::precision
