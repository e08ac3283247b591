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

/// A trace, and what is known beside it. Pointers are borrowed.
struct Subject {
  const trace::Reader* trace = nullptr;
  const pipeline::TraceSamples* raw = nullptr;  ///< Pictures or recordings of its frames.
  const trace::Reader* reference = nullptr;     ///< The same frames in the reference; null: none.
  task::Terms terms;                            ///< How recorded answers are read.
  compare::Truths truths;  ///< Annotations beside those of the trace; may be empty.
  /// The trace holds the first frames of a recording that goes on.
  bool goes_on = false;
  pipeline::Tokenizer* tokenizer = nullptr;  ///< Of a recipe of text; null: none is known.
};

/// States that a trace holds, and the steps in which they are not fed back as they should.
struct StateEvidence {
  diagnose::RecordedStates recorded;
  diagnose::state::Findings findings;
};

/// What a contract is learned from and judged by, measured once.
struct Evidence {
  Subject subject;
  TraceFigures figures;
  /// Metric, classes, latencies; nothing where the trace holds none of them.
  std::optional<compare::TraceSummary> summary;
  std::optional<FrontReplay> front;    ///< Of the recipe that is judged; nothing without one.
  std::optional<BehindReplay> behind;  ///< Of a recipe with a half behind the model.
  std::optional<StateEvidence> states;
  std::optional<compare::Agreement> agreement;  ///< With the reference, where there is one.
};

/// `recipe`: text, or empty. `states`: those that are known, by the trace's names; others are told
/// from exact copies. kInterrupted when stopped; fails when a file cannot be read.
Result<Evidence> measure(const Subject& subject, const std::string& recipe,
                         const std::vector<pipeline::CarriedState>& states, bool with_layers,
                         const Control& control);

}  // namespace edgeprobe::contract
