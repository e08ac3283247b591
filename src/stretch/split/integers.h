// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "stretch/split/subject.h"

namespace edgeprobe::stretch {

/// A constant input of a layer, and the dimension that is cut along with the channels.
struct CutConstant {
  std::size_t input = 0, axis = 0;
};

/// An operator that computes with integers only, and the indices of its inputs.
struct IntegerOperator {
  std::string_view type;
  std::size_t weights, bias;            ///< Bias 0: it has none.
  std::vector<std::size_t> by_channel;  ///< Numbers that may differ by output channel.
};

/// nullptr for another kind of operator.
const IntegerOperator* integer_operator(const std::string& type);

/// The index of a layer's weights among its inputs.
std::size_t weights_of(const std::string& type);

/// True if engines compute the layer with integers: by its type, or between DequantizeLinear and
/// QuantizeLinear.
bool is_integer(const SplitSubject& subject, int layer);

/// True for operators that multiply by weights.
bool has_weights(const std::string& type);

/// The index of its weights among the inputs of a convolution; 0 for another kind of layer.
std::size_t convolution_weights(const std::string& type);

/// A DequantizeLinear or QuantizeLinear.
bool converts_integers(const std::string& type);
/// The scale and zero point of one, if they differ by channel along this axis: they are cut with
/// the channels. kUnsupported for scales by block or along another axis.
Result<std::vector<CutConstant>> scales_along(const SplitSubject& subject, int layer,
                                              std::size_t axis);

/// True if the layer has this input.
bool has(const model::Layer& layer, std::size_t input);

}  // namespace edgeprobe::stretch
