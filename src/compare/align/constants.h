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
  std::string name, type;  ///< Name of the output tensor, and type, of the reference's operator.
  /// False: the weights cannot be compared, and count as different.
  bool same_shape = true;
  /// Largest difference of two weights in quantisation steps: of the target's channel; of the
  /// reference's if only that is quantised; the wider one if both are (two roundings add up to one
  /// step); 1/127 of the channel's largest weight if neither is. Pure rounding stays at or below
  /// 0.5, with two roundings at or below 1.
  std::optional<double> weight_steps;
  /// Largest difference of two biases, relative to the largest bias.
  std::optional<double> bias_share;
  /// If the target has a single scale: 90th percentile over the live channels of its step divided
  /// by the ideal one (largest weight / 127). Above 4, the channels have very different sizes.
  std::optional<double> step_width;
  /// The weights differ like equalised or reordered channels (moved_channels.h): another form of
  /// the same model, if the neighbouring layers compensate.
  bool moved_channels = false;
  bool identical = false;       ///< Stored bytes and quantisation are the same.
  bool weights_differ = false;  ///< The weights differ by more than 1.02 steps, or in shape.
  bool differs = false;         ///< The weights differ, or the bias by more than 5 %.
  /// Faults of the target's integer bias visible in its file. Kernels add it in steps of input
  /// scale times weight scale. `cut_off` counts channels whose bias is clipped at 32 bits and
  /// smaller than the reference's.
  std::size_t cut_off = 0;
  /// Input scale times weight scale, divided by the scale written at the bias; for the channel with
  /// the largest deviation.
  double bias_scale_ratio = 1;
  bool bias_fault() const { return cut_off > 0 || bias_scale_ratio != 1; }
  bool differs_otherwise() const { return weights_differ || (differs && !bias_fault()); }
  std::vector<float> right_bias;  ///< The reference's bias; set if bias_fault().
};

/// Shows whether two model files are two forms of one set of weights.
struct ConstantComparison {
  std::vector<LayerConstants> layers;  ///< Operators with weights, in the order of the reference.
  /// Number of operators with constant weights in each file.
  std::size_t weighted_reference = 0, weighted_target = 0;
  /// Numbers of pairs. `differing`: pairs whose weights differ, excluding moved channels.
  std::size_t paired = 0, differing = 0, moved = 0;
  /// Number of pairs with weights in an unsupported form, such as sparse ones.
  std::size_t unreadable = 0;
  /// Number of pairs with a batch norm after the operator in one file, and folded into the weights
  /// in the other.
  std::size_t folded = 0;
  /// The weights of more than max(2, 30 %) of the paired operators differ, or fewer than half have
  /// a partner with weights. Biases do not count: converters clip those of dead channels.
  bool other_model = false;
  /// Fewer than half have a partner; an optimiser that rewrites operators has the same effect.
  bool few_pairs = false;
  std::string sentence;  ///< The result as a sentence with its figures.
};

/// Compares the constants of convolutions and fully connected layers, paired by weighted_pairs().
/// Follows a weight made by DEQUANTIZE to its stored form. Fails if a constant is damaged.
Result<ConstantComparison> compare_constants(const model::Graph& reference, ByteView reference_file,
                                             const model::Graph& target, ByteView target_file,
                                             const Mapping& mapping = {});

/// The same for given pairs of layers, also of two formats: converts the target's weights to the
/// reference's order. Matrices after a Flatten may have another column order, so compares each row
/// as a set.
Result<ConstantComparison> compare_constants(
    const WeightedGraph& reference, const WeightedGraph& target,
    const std::vector<std::pair<std::size_t, std::size_t>>& pairs);

}  // namespace edgeprobe::compare
