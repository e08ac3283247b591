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

/// Squared errors below which a layer's growth over its inputs says nothing: the noise of the first
/// layers of healthy pairs of which one computes in 8 bits, and rounding where both are real.
inline constexpr double kIntegerGainFloor = 4e-4, kRealGainFloor = 1e-8;

/// What is measured of a pair of operators beyond what the trace shows.
struct Measured {
  std::optional<double> error_gain;  ///< From accumulate().
  std::optional<Local> local;        ///< Without its outputs.
  std::string no_local;              ///< Why there is none.
  /// Of the squared logit NRMSE, by activation patching in front of it and behind it.
  std::optional<double> share;
  std::string no_share;  ///< Why it could not be measured; empty where it was, or was not needed.
  std::optional<double>
      single_layer_error;  ///< Logit NRMSE that this layer alone makes; measured for candidates.
  std::string no_single_layer_error;  ///< Why it could not be measured of a candidate.
  std::optional<compare::LayerConstants> constants;
};

/// A layer to blame, and what became of the logits when it was repaired.
struct Finding {
  std::size_t pair = 0;  ///< Index into Pairing::ops; the first of `group`.
  /// kBias: all that have such a bias; kCalibration: all whose ranges do not fit. Repaired
  /// together.
  std::vector<std::size_t> group;
  Suspicion suspicion = Suspicion::kUnexplained;
  bool tied = false;
  Figures figures;              ///< What it was chosen by.
  double before = 0;            ///< Logit NRMSE with everything repaired that was found before it.
  std::optional<double> after;  ///< And with this layer repaired too.
  std::string not_repaired;     ///< Why there is no `after`.
  std::vector<Repair> repairs;  ///< Those that were run.
  std::optional<OwnOperator> own;  ///< What the layer's own operator makes with a scale that fits.
  /// kOperator: the fewest options of the target's own operators that had to be set to restore what
  /// all of them together do; those of `pair` first. Empty: the reference's operator was put in.
  std::vector<OtherOption> options;
  /// kWeights of an operator without weights: what it reads instead.
  std::optional<OtherConstant> constant;
  /// kOperator: the operators up to the pair's output, of which the target has others or in another
  /// order.
  std::optional<OtherSequence> sequence;
  /// `after` is what the reference makes of the target's tensors in front of the layer.
  bool by_reference = false;
  /// It takes away at least 30 % of the squared logit NRMSE; other constants, 10 %.
  bool restores = false;
};

struct Search {
  std::vector<Measured> pairs;  ///< As many as Pairing::ops.
  /// Of the target's model on the host's kernels; nothing when that was not needed or did not run.
  std::optional<double> host_logit_nrmse;
  std::string no_host_logit_nrmse;
  /// In the order in which they were found: the one that matters most first.
  std::vector<Finding> findings;
};

/// Both sides on the same inputs.
struct SearchInput {
  const Workspace& workspace;      ///< Without a target's file: activation patching alone.
  const std::vector<int>& logits;  ///< Of the reference.
  const Values& reference;
  const Values& target;            ///< As it was recorded.
  const Accumulated& accumulated;  ///< Of these two.
  double logit_nrmse = 0;
  double error_gain_floor = kIntegerGainFloor;
  GapLimits limits = kIntegerLimits;
  /// Some kernel was found faulty: the rest is judged on the host's.
  bool kernels = false;
  bool same_model = false;  ///< Only kernels can differ.
  std::size_t budget = 0;   ///< Bytes of tensors of a repaired target held in memory.
};

/// Who is to blame besides kernels: repairs the worst, looks again at what it hid, a few times.
/// Fails when stopped or when the traces cannot be read; what cannot be run is said in the result.
Result<Search> search(const SearchInput& input, const Control& control);

/// A layer of the reference whose own quantisation is at fault.
struct ReferenceFault {
  int layer = -1;  ///< Of the reference's graph.
  Figures figures;
  double before = 0, after = 0;  ///< Logit NRMSE from the target, without and with it repaired.
};

/// What the search finds when the two sides change places: the reference's layers are judged by the
/// target's values, and repaired in the reference's own model. Nothing when no other scale of one
/// brings its logits nearer to the target's, or the reference is not quantised. Failures as of
/// search().
Result<std::optional<ReferenceFault>> fault_of_reference(const SearchInput& input,
                                                         const Control& control);

}  // namespace edgeprobe::layers
