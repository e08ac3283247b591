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

/// One operator, seen from all sides; what was not measured is nothing.
struct Row {
  int reference_layer = -1, target_layer = -1;
  int counterpart = -1;  ///< As in OpPair.
  std::string type;
  std::optional<double> nse;              ///< Accumulated: MSE / variance of the reference.
  std::optional<double> rmse_over_range;  ///< Accumulated, over the reference's range.
  std::optional<KernelError> kernel_error;
  Measured measured;
};

struct Unchecked {
  int layer = -1;  ///< Of the target's graph.
  std::string reason;
};

struct Analysis {
  std::size_t frames = 0;
  std::vector<std::uint32_t> frame_numbers;  ///< Of the target's trace.
  /// RMS difference of the logits over the reference's standard deviation, same model input.
  std::optional<double> logit_nrmse;
  GapLimits limits = kIntegerLimits;  ///< Of that.
  /// Real numbers whose logits are the same: `logit_nrmse` is that of the outputs themselves.
  bool of_answers = false;
  bool same_model = false;  ///< Both sides run the same file: only kernels can differ.
  /// Paired operators in the reference's order, then operators of the target alone.
  std::vector<Row> rows;
  std::vector<KernelFault> kernels;
  /// Layers of the reference that the host's kernels do not make of their own inputs: looked for
  /// where one file gave outputs that are off and no layer of the target did it.
  std::vector<KernelFault> reference_kernels;
  /// Whether every layer of the reference was replayed for that.
  bool reference_checked = false;
  /// The logit NRMSE with the target's kernels replaced by the host's; measured when some are
  /// faulty.
  std::optional<double> host_logit_nrmse;
  /// Layers to blame for another reason than their kernel; Finding::pair is an index into rows.
  std::vector<Finding> findings;
  /// Looked for when no layer of the target is to blame.
  std::optional<ReferenceFault> of_reference;
  std::vector<Unchecked> not_checked;
  std::vector<model::NotCaptured> not_captured;  ///< Tensors of the reference.
  bool poorly_paired = false;  ///< Too few layers have a partner, so that none is named.
  std::string skipped;         ///< What was not done, and why; one sentence.
  Pairing pairing;             ///< Of the reference's tensors and the target's.
  Deployment deployment;       ///< What it was told of; repairs are run again in the same engines.
  /// Engines that were opened for it.
  std::vector<std::shared_ptr<engine::Engine>> opened;
};

/// What RepairedModel needs to run the target of a case again. `recorded` of the target; null: its
/// shapes are the file's.
Workspace workspace_of(const Deployment& deployment, Pairing pairing,
                       const Values* recorded = nullptr);

Result<Analysis> analyse(const Deployment& deployment, const Control& control);

}  // namespace edgeprobe::layers
