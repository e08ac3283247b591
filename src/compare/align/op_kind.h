// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace edgeprobe::compare {

/// The operator's function under one name for all model formats: TFLite's "CONV_2D" and ONNX's
/// "Conv" are both "conv". Converters rename operators without changing their function, so
/// "SQUEEZE" is "reshape". Returns unknown types unchanged. Quantised forms have the kind of their
/// float form.
std::string_view op_kind(std::string_view type);

/// True for operators that change only how values are stored: QUANTIZE, DequantizeLinear, Cast.
bool is_conversion(std::string_view type);

/// True for operators that compute with codes, whatever scales a recording states for their
/// outputs: QUANTIZE and similar, QLinearConv, MatMulInteger.
bool computes_in_codes(std::string_view type);

/// True for operators that only move values and that the other format may lack: transposes between
/// channel orders, reshapes.
bool is_movement(std::string_view type);

}  // namespace edgeprobe::compare
