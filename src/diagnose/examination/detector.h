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

/// Less precise arithmetic that the recorded layers reveal.
struct LessPrecise {
  Cause cause;                ///< From the recorded layers only.
  std::set<int> unexplained;  ///< Layers that it cannot explain.

  bool explains_layers() const { return unexplained.empty(); }
};

/// Result of one detector: plain values, which merge() puts into the verdict.
struct Findings {
  /// Causes, notes and nearest explanations, by contribution; `restored` is missing where a replay
  /// fills it in.
  std::vector<Cause> causes;
  /// Evidence for the first confirmed cause before the model, whichever detector names it.
  std::vector<Evidence> of_input_cause;
  std::vector<std::string> warnings;
  std::vector<std::string> closing_warnings;  ///< Printed after those of the decision.

  std::vector<LayerDrift> layers;
  /// Keyed by LayerDrift::name; from all detectors.
  std::map<std::string, LayerFigures> layer_figures;
  std::optional<FirstLayer> first_layer;
  std::optional<LayerFaultSummary> layer_faults;
  std::optional<Coverage> coverage;
  std::optional<ScalarStudy> scalars;
  std::optional<AnswerStudy> answers;

  /// Renames a kernel fault if this arithmetic explains all of its layers. If it explains every
  /// recorded layer, oddities in them are not kernel faults.
  std::optional<LessPrecise> less_precise;
  /// Answers of the target's model with the cause repaired, if Replays::after does not hold them.
  std::optional<Answers> repaired_input;
  /// The last index of Replays::repaired_steps that repairs a confirmed cause.
  std::optional<std::size_t> repaired_layers;
};

/// Answers one kind of question about a case. Reads the examined evidence, may replay more of the
/// case's models, and does not depend on other detectors' findings. Fails only if a file or an
/// engine fails.
struct Detector {
  const char* name;  ///< "pipeline_stage".
  Result<Findings> (*find)(const Examination& examined, const Control& control);
};

}  // namespace edgeprobe::diagnose
