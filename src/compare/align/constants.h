// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/align/by_graph.h"
#include "compare/align/weighted.h"
#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::compare {

/// Weights and bias of one operator in both models.
struct LayerConstants {
  int reference_layer = -1, target_layer = -1;  ///< Indices into Graph::layers.
  std::string name, type;                       ///< The output tensor of the reference's operator.
  /// False: the weights cannot be compared, and differ.
  bool same_shape = true;
  /// Largest difference of two weights in quantisation steps: of the target's channel, of the
  /// reference's when only that is quantised, the wider one when both are (two roundings add up to
  /// one step), and 1/127 of the channel's largest weight when neither is. Rounding alone stays at
  /// or below 0.5, with two roundings at or below 1.
  std::optional<double> weight_steps;
  /// Largest difference of two biases over the largest bias.
  std::optional<double> bias_share;
  /// Where the target has one scale: 90th percentile over the channels that are not dead of its
  /// step over the ideal one (largest weight / 127). Above 4, it serves channels of very different
  /// size.
  std::optional<double> step_width;
  /// The weights differ as channels do that were equalised or put in another order
  /// (moved_channels.h): another form of one model, where the layers around do the same.
  bool moved_channels = false;
  bool identical = false;       ///< Stored bytes and quantisation are the same.
  bool weights_differ = false;  ///< By more than 1.02 steps, or in shape.
  bool differs = false;         ///< The weights, or the bias by more than 5 %.
  /// Faults of the target's integer bias that its file shows by itself. Kernels add it in steps of
  /// input scale times weight scale. Channels whose bias stands at the end of its 32 bits, short of
  /// the reference's.
  std::size_t cut_off = 0;
  /// Input scale times weight scale over the scale written at the bias, in the channel where they
  /// differ most.
  double bias_scale_ratio = 1;
  bool bias_fault() const { return cut_off > 0 || bias_scale_ratio != 1; }
  bool differs_otherwise() const { return weights_differ || (differs && !bias_fault()); }
  std::vector<float> right_bias;  ///< The reference's, of a bias with such a fault.
};

/// Are two model files two forms of one set of weights?
struct ConstantComparison {
  std::vector<LayerConstants> layers;  ///< Operators with weights, in the order of the reference.
  /// Operators with constant weights in each file.
  std::size_t weighted_reference = 0, weighted_target = 0;
  /// Differing: in their weights, but for moved channels.
  std::size_t paired = 0, differing = 0, moved = 0;
  /// Pairs whose weights are stored in a form that is not read, such as without their zeros.
  std::size_t unreadable = 0;
  /// Pairs with a batch norm behind the operator in one file, which the other has in its weights.
  std::size_t folded = 0;
  /// The weights of more than max(2, 30 %) of the paired operators differ, or fewer than half found
  /// a partner with weights. Biases decide nothing: converters cut those of dead channels off.
  bool other_model = false;
  bool few_pairs = false;  ///< The latter: an optimiser that rewrites operators does that as well.
  std::string sentence;    ///< The decision with its numbers.
};

/// Compares the constants of convolutions and fully connected layers, paired by weighted_pairs(). A
/// weight that a DEQUANTIZE gives back is followed to its stored form. Fails when a constant is
/// damaged.
Result<ConstantComparison> compare_constants(const model::Graph& reference, ByteView reference_file,
                                             const model::Graph& target, ByteView target_file,
                                             const Mapping& mapping = {});

/// The same for layers that are known to belong together, also of two formats: the target's weights
/// are brought into the reference's order. A matrix behind a Flatten has its columns in another
/// order there, so that each row is compared as a set.
Result<ConstantComparison> compare_constants(
    const WeightedGraph& reference, const WeightedGraph& target,
    const std::vector<std::pair<std::size_t, std::size_t>>& pairs);

}  // namespace edgeprobe::compare
