// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "compare/agreement.h"
#include "compare/compare_traces.h"
#include "compare/trace_summary.h"
#include "contract/figures.h"
#include "contract/front.h"
#include "pipeline/inputs/raw_inputs.h"
#include "trace/read/reader.h"

namespace edgeprobe::contract {

/// A trace, and what is known beside it. Pointers are borrowed.
struct Subject {
  const trace::Reader* trace = nullptr;
  const pipeline::TraceSamples* raw = nullptr;  ///< Pictures or recordings of its frames.
  const trace::Reader* reference = nullptr;     ///< The same frames in the reference; null: none.
  task::Terms terms;                            ///< How recorded answers are read.
  compare::Truths truths;  ///< Annotations beside those of the trace; may be empty.
};

/// What a contract is learned from and judged by, measured once.
struct Evidence {
  Subject subject;
  TraceFigures figures;
  /// Metric, classes, latencies; nothing where the trace holds none of them.
  std::optional<compare::TraceSummary> summary;
  std::optional<FrontReplay> front;  ///< Of the recipe that is judged; nothing without one.
  std::optional<compare::Agreement> agreement;  ///< With the reference, where there is one.
};

/// `recipe`: text, or empty. kInterrupted when stopped; fails when a file cannot be read.
Result<Evidence> measure(const Subject& subject, const std::string& recipe, bool with_layers,
                         const Control& control);

}  // namespace edgeprobe::contract
