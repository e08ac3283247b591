// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/align/constants.h"
#include "layers/capture/logits.h"
#include "layers/replay/accumulate.h"
#include "layers/search/other_constant.h"
#include "layers/search/other_options.h"
#include "layers/search/other_sequence.h"
#include "layers/search/repaired.h"
#include "layers/search/rule.h"

namespace edgeprobe::layers {

/// Squared errors below which a layer's error gain is meaningless: the noise of the first layers of
/// healthy pairs with one side in 8 bits, and rounding if both sides are real.
inline constexpr double kIntegerGainFloor = 4e-4, kRealGainFloor = 1e-8;

/// Measurements of a pair of operators beyond those in the trace.
struct Measured {
  std::optional<double> error_gain;  ///< From accumulate().
  std::optional<Local> local;        ///< Without its outputs.
  std::string no_local;              ///< Why it is missing.
  /// Share of the squared logit NRMSE, by activation patching before and after it.
  std::optional<double> share;
  std::string no_share;  ///< Why it could not be measured; empty if it was, or was not needed.
  std::optional<double>
      single_layer_error;  ///< Logit NRMSE caused by this layer by itself; measured for candidates.
  std::string no_single_layer_error;  ///< Why it could not be measured for a candidate.
  std::optional<compare::LayerConstants> constants;
};

/// A layer to blame, and the effect of its repair on the logits.
struct Finding {
  std::size_t pair = 0;  ///< Index into Pairing::ops; the first of `group`.
  /// kBias: all layers with such a bias; kCalibration: all layers with unsuitable ranges. They are
  /// repaired together.
  std::vector<std::size_t> group;
  Suspicion suspicion = Suspicion::kUnexplained;
  bool tied = false;
  Figures figures;                 ///< Figures by which it was chosen.
  double before = 0;               ///< Logit NRMSE with all earlier findings repaired.
  std::optional<double> after;     ///< The same with this layer also repaired.
  std::string not_repaired;        ///< Why `after` is missing.
  std::vector<Repair> repairs;     ///< Repairs that were run.
  std::optional<OwnOperator> own;  ///< Result of the layer's own operator with a suitable scale.
  /// kOperator: the smallest set of options of the target's own operators that restores as much as
  /// all of its options together; options of `pair` come first. Empty: the reference's operator was
  /// inserted.
  std::vector<OtherOption> options;
  /// kWeights of an operator without weights: the constant that differs.
  std::optional<OtherConstant> constant;
  /// kOperator: the operators that lead to the pair's output, if the target's or their order
  /// differ.
  std::optional<OtherSequence> sequence;
  /// `after` is the reference's result from the target's tensors before the layer.
  bool by_reference = false;
  /// True if the repair removes at least 30 % of the squared logit NRMSE; for differing constants,
  /// 10 %.
  bool restores = false;
};

struct Search {
  std::vector<Measured> pairs;  ///< Same length as Pairing::ops.
  /// Logit NRMSE of the target's model on the host's kernels; unset if not needed or not runnable.
  std::optional<double> host_logit_nrmse;
  std::string no_host_logit_nrmse;
  /// In the order found: the most important first.
  std::vector<Finding> findings;
};

/// Input of a search: both sides on the same inputs.
struct SearchInput {
  const Workspace& workspace;      ///< Without a target's file: only activation patching.
  const std::vector<int>& logits;  ///< Tensors of the reference.
  const Values& reference;
  const Values& target;            ///< As recorded.
  const Accumulated& accumulated;  ///< Computed from `reference` and `target`.
  double logit_nrmse = 0;
  double error_gain_floor = kIntegerGainFloor;
  GapLimits limits = kIntegerLimits;
  /// Some kernel is faulty: all other layers are judged with the host's kernels.
  bool kernels = false;
  bool same_model = false;  ///< Only kernels can differ.
  std::size_t budget = 0;   ///< Limit for tensors of a repaired target in memory, in bytes.
};

/// Finds layers to blame besides kernels: repairs the worst one, then looks for others that it hid,
/// a few times. Fails if stopped or if the traces cannot be read; the result lists what could not
/// be run.
Result<Search> search(const SearchInput& input, const Control& control);

/// A layer of the reference whose own quantisation is at fault.
struct ReferenceFault {
  int layer = -1;  ///< Index in the reference's graph.
  Figures figures;
  /// Logit NRMSE relative to the target, without and with the repair.
  double before = 0, after = 0;
};

/// The search with the two sides exchanged: the reference's layers are judged by the target's
/// values, and repaired in the reference's own model. Nothing if no other scale of a layer brings
/// its logits closer to the target's, or if the reference is not quantised. Fails like search().
Result<std::optional<ReferenceFault>> fault_of_reference(const SearchInput& input,
                                                         const Control& control);

}  // namespace edgeprobe::layers
