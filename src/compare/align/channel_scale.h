// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::compare {

/// An operator that multiplies each channel by a stored value and adds one: a batch norm
/// (https://onnx.ai/onnx/operators/onnx__BatchNormalization.html), or a product or sum with a
/// constant. Converters fold it into the weights and bias of the previous operator.
struct ChannelScale {
  std::vector<float> factor, shift;  ///< One for each channel.
  /// Keyed by tensor: values of the constants with which the operator changes nothing. `added`: the
  /// tensor that is added.
  std::map<int, std::vector<float>> neutral;
  int added = -1;
};

/// Position of the channels in an operator's output.
struct ChannelPlace {
  std::size_t channels = 0, inner = 0;  ///< Number of channels, and of dimensions after them.
};

/// The constant that a tensor holds, possibly reshaped or converted; -1 if it is computed.
int stored_constant(const model::Graph& graph, int tensor);

/// Nothing if the layer is another operator, or its values are computed or not one per channel.
/// Fails if a constant is damaged.
Result<std::optional<ChannelScale>> channel_scale(const model::Graph& graph, ByteView file,
                                                  const model::Layer& layer,
                                                  const ChannelPlace& place);

}  // namespace edgeprobe::compare
