// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "culprit/analysis.h"
#include "diagnose/causes.h"
#include "diagnose/layer_causes.h"

namespace edgeprobe::diagnose {

/// The layer analysis of the case: on the model inputs that the target recorded, so that a fault in
/// front of the model does not hide one inside. Nothing when every recorded tensor is equal.
Result<std::optional<culprit::Analysis>> examine_layers(const Study& study, const Control& control);

/// Both sides run one file, and every one of its layers computes what the host's kernels do on its
/// own inputs.
bool is_only_rounding(const culprit::Analysis& analysis);

/// What the analysis could look at.
CulpritSummary summary_of(const Case& known, const culprit::Analysis& analysis);

/// Its figures by the name of the reference's layer.
std::map<std::string, LayerFigures> figures_of(const Case& known,
                                               const culprit::Analysis& analysis);

/// The target's answers with what the analysis found repaired: first its kernels replaced by the
/// host's, when some are faulty, then each layer whose repair brought the logits back, on top of
/// all before it. For the frames of `replays`: on the pictures with every fault of the input
/// mended, or on the recorded inputs when the input has none.
Result<std::vector<Answers>> mended_answers(const Study& study, const InputEvidence& input,
                                            const culprit::Analysis& analysis,
                                            const std::vector<std::uint32_t>& frames,
                                            const std::vector<std::size_t>& which,
                                            const Control& control);

/// Judges causes inside the model by the replays with their repairs. Notes become causes when the
/// outputs lie beyond `floor` on the same model input and their repair brings them back: what the
/// logits hide, or a fault behind them. Confirmed causes whose repair brings no output nearer
/// become notes. The last of Replays::mended_steps that repairs a confirmed cause, or nothing.
std::optional<std::size_t> judge_by_repair(std::vector<Cause>& causes, const Study& study,
                                           const Replays& replays, double floor);

}  // namespace edgeprobe::diagnose
