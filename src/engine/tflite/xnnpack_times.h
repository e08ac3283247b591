// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "engine/engine.h"

namespace edgeprobe::engine::tflite {

/// Layers that XNNPACK took, in its execution order.
struct XnnpackShare {
  std::vector<int> taken;          ///< Layers in ascending order.
  std::vector<int> order;          ///< In execution order; empty if uncertain.
  std::vector<std::string> types;  ///< Type of each entry of `order`.
};

/// `pieces` is the number of nodes that replace XNNPACK's layers. The order follows from the graph
/// and the rule by which TFLite makes these nodes; it is certain if the rule yields this number.
XnnpackShare share_of(ByteView model, const std::vector<int>& taken, int pieces);

/// The layer that each of XNNPACK's operators computes, by order and type. A list is empty if its
/// layer is uncertain; all lists are empty unless each computing operator matches exactly one
/// computing layer.
std::vector<std::vector<int>> layers_of(const std::vector<std::string>& operators,
                                        const XnnpackShare& share);

/// "Convolution (NHWC, QC8) IGEMM" → "i8"; "" if the name does not contain it.
std::string precision_of(std::string_view operator_name);

/// Completes the times of one inference of `latency`. Neither runtime times XNNPACK's node, so this
/// inserts it before its operators, with the part of the latency that the other nodes leave. Sets
/// which layers each of these operators computes.
void complete(std::vector<OpTime>& times, std::chrono::nanoseconds latency,
              const XnnpackShare& share);

}  // namespace edgeprobe::engine::tflite
