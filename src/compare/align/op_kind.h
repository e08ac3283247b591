// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace edgeprobe::compare {

/// What an operator does, under one name for all model formats: TFLite's "CONV_2D" and ONNX's
/// "Conv" are both "conv". Converters rename operators without changing what they do, so "SQUEEZE"
/// is "reshape". Unknown types come back as they are. Quantised forms are the same kind as their
/// float form.
std::string_view op_kind(std::string_view type);

/// Operators that change how values are stored and not what they are: QUANTIZE, DequantizeLinear,
/// Cast.
bool is_conversion(std::string_view type);

/// Operators that compute with codes, whatever scales a recording of what they make gives: QUANTIZE
/// and its like, QLinearConv, MatMulInteger.
bool computes_in_codes(std::string_view type);

/// Operators that only move values, which one format has and the other need not: transposes between
/// channel orders, reshapes.
bool is_movement(std::string_view type);

}  // namespace edgeprobe::compare
