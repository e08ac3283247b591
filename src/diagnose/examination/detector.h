// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "diagnose/examination/examination.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::diagnose {

/// Less precise arithmetic that recorded layers tell.
struct LessPrecise {
  Cause cause;                ///< By the recorded layers alone.
  std::set<int> unexplained;  ///< Layers that it does not explain.

  bool explains_layers() const { return unexplained.empty(); }
};

/// Answer of one detector: values alone, which merge() puts into the verdict.
struct Findings {
  /// Causes, notes and nearest explanations, by contribution; without `restored` where a replay
  /// gives it.
  std::vector<Cause> causes;
  /// Evidence for the first confirmed cause in front of the model, whichever detector names it.
  std::vector<Evidence> of_input_cause;
  std::vector<std::string> warnings;
  std::vector<std::string> closing_warnings;  ///< Behind those of the decision.

  std::vector<LayerDrift> layers;
  std::map<std::string, LayerFigures> layer_figures;  ///< By LayerDrift::name, of any detector.
  std::optional<FirstLayer> first_layer;
  std::optional<LayerFaultSummary> layer_faults;
  std::optional<Coverage> coverage;
  std::optional<ScalarStudy> scalars;
  std::optional<AnswerStudy> answers;

  /// The name of kernels that miscompute in layers of which it explains every one. Where it
  /// explains every recorded layer, what is odd in them is no kernel.
  std::optional<LessPrecise> less_precise;
  /// The target's model with the cause repaired, where Replays::after does not hold it.
  std::optional<Answers> repaired_input;
  /// The last of Replays::repaired_steps that repairs a confirmed cause.
  std::optional<std::size_t> repaired_layers;
};

/// One kind of question about a case. It reads what was examined, may replay more of the case's
/// models, and knows no other detector's findings. Fails only when a file or an engine does.
struct Detector {
  const char* name;  ///< "pipeline_stage".
  Result<Findings> (*find)(const Examination& examined, const Control& control);
};

}  // namespace edgeprobe::diagnose
