#pragma once

#include "culprit/analysis.h"
#include "diagnose/causes.h"

namespace edgeprobe::diagnose {

/// The layer analysis of the case: on the model inputs that the target recorded, so that a fault in front of the model does
/// not hide one inside. Nothing when every recorded tensor is equal.
Result<std::optional<culprit::Analysis>> examine_layers(const Study& study);

/// Causes inside the model, without `restored`. `severe`: significantly less accurate with nothing in front of the model
/// to explain it; then a finding is confirmed however small the gap on these frames.
std::vector<Cause> model_causes(const Case& known, const culprit::Analysis& analysis, bool severe);

/// The figures of the analysis into the verdict's layers, and what could not be looked at.
void add_culprits(const Case& known, const culprit::Analysis& analysis, Verdict& verdict);

/// The target's answers with its kernels replaced by the host's, for the frames of `replays`: on the pictures with every
/// fault of the input mended, or on the recorded inputs when the input has none.
Result<Answers> on_host_kernels(const Study& study, const InputEvidence& input, const std::vector<std::uint32_t>& frames,
                                const std::vector<std::size_t>& which);

}  // namespace edgeprobe::diagnose
