// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "layers/capture/capture.h"
#include "layers/deployment.h"
#include "layers/pairing/pairing.h"
#include "layers/replay/kernels.h"
#include "layers/search/finding.h"

namespace edgeprobe::layers {

/// All measurements of one operator; those not made are unset.
struct Row {
  int reference_layer = -1, target_layer = -1;
  int counterpart = -1;  ///< As in OpPair.
  std::string type;
  std::optional<double> nse;              ///< Accumulated error: MSE / variance of the reference.
  std::optional<double> rmse_over_range;  ///< Accumulated error, over the range of the reference.
  std::optional<KernelError> kernel_error;
  Measured measured;
};

struct Unchecked {
  int layer = -1;  ///< Index in the target's graph.
  std::string reason;
};

struct Analysis {
  std::size_t frames = 0;
  std::vector<std::uint32_t> frame_numbers;  ///< Frames of the target's trace.
  /// RMS difference of the logits over the reference's standard deviation, same model input.
  std::optional<double> logit_nrmse;
  GapLimits limits = kIntegerLimits;  ///< Limits for `logit_nrmse`.
  /// For real numbers with equal logits: `logit_nrmse` is that of the outputs themselves.
  bool of_answers = false;
  bool same_model = false;  ///< Both sides run the same file, so only kernels can differ.
  /// Paired operators in the reference's order, then operators that only the target has.
  std::vector<Row> rows;
  std::vector<KernelFault> kernels;
  /// Layers of the reference whose outputs the host's kernels do not reproduce from their own
  /// inputs. Checked if both sides run one file, the outputs differ and no layer of the target
  /// explains the difference.
  std::vector<KernelFault> reference_kernels;
  /// True if every layer of the reference was replayed for this.
  bool reference_checked = false;
  /// The logit NRMSE with the target's kernels replaced by the host's; measured if some are faulty.
  std::optional<double> host_logit_nrmse;
  /// Layers to blame for a reason other than their kernel; Finding::pair is an index into rows.
  std::vector<Finding> findings;
  /// Searched if no layer of the target is to blame.
  std::optional<ReferenceFault> of_reference;
  std::vector<Unchecked> not_checked;
  /// Tensors of the reference that were not captured.
  std::vector<model::NotCaptured> not_captured;
  bool poorly_paired = false;  ///< Too few layers have a partner, so none is named.
  std::string skipped;         ///< A sentence about what was skipped, and why.
  Pairing pairing;             ///< Pairs the reference's tensors with the target's.
  Deployment deployment;       ///< Input of the analysis; repairs run in the same engines.
  /// Engines opened for the analysis.
  std::vector<std::shared_ptr<engine::Engine>> opened;
};

/// Input of RepairedModel to run a case's target again. `recorded`: values of the target; if null,
/// the file's shapes are used.
Workspace workspace_of(const Deployment& deployment, Pairing pairing,
                       const Values* recorded = nullptr);

Result<Analysis> analyse(const Deployment& deployment, const Control& control);

}  // namespace edgeprobe::layers
