// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "contract/contract.h"
#include "contract/evidence.h"
#include "contract/finding.h"
#include "contract/mutate/catalogue.h"
#include "pipeline/run.h"

namespace edgeprobe::contract {

/// Effect of a fault on the answers.
enum class Effect {
  kNone,      ///< Inputs, outputs and answers are equal bit for bit.
  kHarmless,  ///< The answers are the same, and outputs are within the floor.
  kMatters,   ///< An answer changes, or outputs are beyond the floor.
};
const char* name(Effect effect);  ///< "none", "harmless", "matters".

/// One fault planted in the user's own pipeline.
struct Mutant {
  std::string kind, what;
  std::string recipe;   ///< The recipe that was run.
  std::string failure;  ///< Reason if it could not be run; the rest is then empty.
  std::uint64_t frames = 0;
  /// Number of answers that changed, by first class or by recorded answer.
  std::uint64_t answers_changed = 0;
  std::optional<double> distance;  ///< Mean output distance, see compare::OutputDistance.
  Effect effect = Effect::kNone;
  /// Assertions that fail with the fault and passed without it. Excludes time and memory, since a
  /// busy machine would count as a caught fault.
  std::vector<std::string> caught_by;
};

struct MutationReport {
  std::vector<Finding> broken;  ///< Assertions that fail without a fault; then nothing was planted.
  std::uint64_t frames = 0;
  double floor = 0;  ///< compare::output_floor() for these frames.
  std::vector<Mutant> mutants;
  std::vector<Unplanted> unplanted;  ///< Other possible faults of this pipeline.
  std::size_t count(Effect effect) const;
  std::size_t caught(Effect effect) const;
};

/// Common to all runs.
struct MutationOptions {
  pipeline::RunOptions run;      ///< Level and form of raw inputs, as the user's CI records them.
  std::filesystem::path folder;  ///< Holds two traces.
  const trace::Reader* reference = nullptr;  ///< See Subject::reference.
  task::Terms terms;
  task::UserMetric* metric = nullptr;  ///< The user's; may be null.
  /// Further assertions on a trace, such as the user's Python functions; may be empty.
  std::function<Result<std::vector<Finding>>(const std::filesystem::path& trace)> more;
};

/// Runs the samples unchanged, then once with each fault, and judges every run by the contract.
/// Temporarily changes recipe and states of `pipeline`. kUsage for a pipeline in which no fault can
/// be planted; kInterrupted if stopped.
Result<MutationReport> mutate(pipeline::Pipeline& pipeline,
                              const std::vector<dataset::Sample>& samples, const Contract& contract,
                              const MutationOptions& options, const Control& control);

}  // namespace edgeprobe::contract
