// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "engine/engine.h"

namespace edgeprobe::engine::tflite {

/// What XNNPACK took of a model, in the order in which it runs it.
struct XnnpackShare {
  std::vector<int> taken;          ///< Layers in ascending order.
  std::vector<int> order;          ///< The same as they run; empty where that is not certain.
  std::vector<std::string> types;  ///< Of each entry of `order`.
};

/// `pieces`: how many nodes stand for what XNNPACK took. The order follows from the graph and the
/// rule by which TFLite makes these nodes; it is certain when that gives as many.
XnnpackShare share_of(ByteView model, const std::vector<int>& taken, int pieces);

/// Which layer each of XNNPACK's operators computes, by order and type: empty lists where that is
/// not certain, and all of them unless each operator that computes fits exactly one layer that
/// does.
std::vector<std::vector<int>> layers_of(const std::vector<std::string>& operators,
                                        const XnnpackShare& share);

/// "Convolution (NHWC, QC8) IGEMM" → "i8"; "" when the name does not say.
std::string precision_of(std::string_view operator_name);

/// Completes the times of one inference of `latency`: puts the node of XNNPACK, which neither
/// runtime times, in front of its operators, with what the other nodes left of the latency, and
/// says which layers each of them computes.
void complete(std::vector<OpTime>& times, std::chrono::nanoseconds latency,
              const XnnpackShare& share);

}  // namespace edgeprobe::engine::tflite
