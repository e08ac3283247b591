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

/// What a fault does to the answers.
enum class Effect {
  kNone,      ///< Inputs, outputs and answers are bit for bit the same.
  kHarmless,  ///< The answers are the same, and outputs lie within the floor.
  kMatters,   ///< An answer is another one, or outputs lie beyond the floor.
};
const char* name(Effect effect);  ///< "none", "harmless", "matters".

/// One fault in the user's own pipeline.
struct Mutant {
  std::string kind, what;
  std::string recipe;   ///< That was run.
  std::string failure;  ///< Why it could not be; the rest is empty then.
  std::uint64_t frames = 0;
  std::uint64_t answers_changed = 0;  ///< First class, or recorded answer.
  std::optional<double> distance;     ///< Mean output distance, as compare::OutputDistance.
  Effect effect = Effect::kNone;
  /// Assertions that fail now, and could be told and passed without the fault. Time and memory are
  /// left out: a busy machine would count as a caught fault.
  std::vector<std::string> caught_by;
};

struct MutationReport {
  std::vector<Finding> broken;  ///< Assertions that fail without any fault: nothing was planted.
  std::uint64_t frames = 0;
  double floor = 0;  ///< compare::output_floor() for these frames.
  std::vector<Mutant> mutants;
  std::vector<Unplanted> unplanted;  ///< Faults that this pipeline may have, too.
  std::size_t count(Effect effect) const;
  std::size_t caught(Effect effect) const;
};

/// What every run of it shares.
struct MutationOptions {
  pipeline::RunOptions run;      ///< Level and form of raw inputs: as the user's CI records.
  std::filesystem::path folder;  ///< For two traces.
  const trace::Reader* reference = nullptr;  ///< As Subject::reference.
  task::Terms terms;
  /// Further assertions on a trace, such as the user's Python functions; may be empty.
  std::function<Result<std::vector<Finding>>(const std::filesystem::path& trace)> more;
};

/// Runs the samples as they are, then once with each fault, and judges every run by the contract.
/// Recipe and states of `pipeline` are changed meanwhile and put back. kUsage for a pipeline that
/// no fault can be planted into; kInterrupted when stopped.
Result<MutationReport> mutate(pipeline::Pipeline& pipeline,
                              const std::vector<dataset::Sample>& samples, const Contract& contract,
                              const MutationOptions& options, const Control& control);

}  // namespace edgeprobe::contract
