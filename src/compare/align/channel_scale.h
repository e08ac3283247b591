// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::compare {

/// An operator that multiplies each channel by a stored number and adds one: a batch norm
/// (https://onnx.ai/onnx/operators/onnx__BatchNormalization.html), a product or a sum with a
/// constant. Converters put it into the weights and the bias of the operator in front of it.
struct ChannelScale {
  std::vector<float> factor, shift;  ///< One for each channel.
  /// Constants by tensor with which it hands its input on, and the one of them that is added.
  std::map<int, std::vector<float>> neutral;
  int added = -1;
};

/// Where an operator's output has its channels.
struct ChannelPlace {
  std::size_t channels = 0, inner = 0;  ///< How many, and how many dimensions behind them.
};

/// The constant whose values a tensor has, reshaped or converted; -1 when they are computed.
int stored_constant(const model::Graph& graph, int tensor);

/// Nothing when the layer is another operator, or its numbers are computed or not one a channel.
/// Fails when a constant is damaged.
Result<std::optional<ChannelScale>> channel_scale(const model::Graph& graph, ByteView file,
                                                  const model::Layer& layer,
                                                  const ChannelPlace& place);

}  // namespace edgeprobe::compare
