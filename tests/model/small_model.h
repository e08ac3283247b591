// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flat_writer.h"

namespace edgeprobe::testing {

/// A valid model of three layers in separate pieces, so that a test can break one piece and write
/// it: input [1,4,4,3] int8 -> CONV_2D 2x3x3x3, same padding (scales per channel) -> "conv"
/// [1,4,4,2] -> CUSTOM:Twist -> "twisted" [1,4,4,2] -> FULLY_CONNECTED 5x32 -> "output" [1,5].
struct SmallModel {
  Node model, code_conv, code_custom, code_dense;
  Node graph, input, filter, bias, conv, twisted, weights, output;
  Node op_conv, op_custom, op_dense;
  Node tensors, operators, graphs, buffers, graph_inputs, graph_outputs;
  Node filter_buffer;

  SmallModel();
  Bytes bytes() const { return flat_file(model); }
};

}  // namespace edgeprobe::testing
