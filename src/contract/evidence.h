// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/compare_traces.h"
#include "compare/outputs/agreement.h"
#include "compare/trace_summary.h"
#include "contract/behind.h"
#include "contract/figures.h"
#include "contract/front.h"
#include "diagnose/case/recorded_states.h"
#include "diagnose/state/findings.h"
#include "pipeline/inputs/raw_inputs.h"
#include "pipeline/states.h"
#include "pipeline/tokenizer/tokenizer.h"
#include "trace/read/reader.h"

namespace edgeprobe::contract {

/// A trace, with further information about it. Pointers are borrowed.
struct Subject {
  const trace::Reader* trace = nullptr;
  const pipeline::TraceSamples* raw = nullptr;  ///< Pictures or recordings for its frames.
  /// The reference's trace of the same frames; null if there is none.
  const trace::Reader* reference = nullptr;
  task::Terms terms;                   ///< How recorded answers are read.
  task::UserMetric* metric = nullptr;  ///< The user's, instead of the task's; may be null.
  compare::Truths truths;  ///< Annotations in addition to those of the trace; may be empty.
  /// The trace holds the first frames of a recording in progress.
  bool goes_on = false;
  pipeline::Tokenizer* tokenizer = nullptr;  ///< Tokenizer of a text recipe; null if unknown.
};

/// States in a trace, and the steps in which they are not fed back correctly.
struct StateEvidence {
  diagnose::RecordedStates recorded;
  diagnose::state::Findings findings;
};

/// Measurements from which a contract is learned or judged.
struct Evidence {
  Subject subject;
  TraceFigures figures;
  /// Metric, classes, latencies; unset if the trace has none of them.
  std::optional<compare::TraceSummary> summary;
  std::optional<FrontReplay> front;  ///< Replay of the recipe being judged; unset without a recipe.
  /// Replay of the recipe's post-processing part, if it has one.
  std::optional<BehindReplay> behind;
  std::optional<StateEvidence> states;
  std::optional<compare::Agreement> agreement;  ///< Agreement with the reference, if there is one.
};

/// `recipe`: text, or empty. `states`: the known ones, by the trace's names; others are found by
/// exact copies. kInterrupted if stopped; fails if a file cannot be read.
Result<Evidence> measure(const Subject& subject, const std::string& recipe,
                         const std::vector<pipeline::CarriedState>& states, bool with_layers,
                         const Control& control);

}  // namespace edgeprobe::contract
