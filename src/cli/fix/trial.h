// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/fix/judged.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// Checks another model in place of the deployment's, as the verdict was made, but with the
/// reference's pre-processing; on the deployment's engine, or the reference's. Without `layers`,
/// compares only the outputs. Uses `most` samples, evenly spread.
Result<diagnose::Verdict> try_model(const Judged& judged, const std::filesystem::path& model,
                                    const std::string& recipe, bool layers, std::size_t most,
                                    Terminal& terminal);

/// Checks the target itself, with its own pre-processing, on these samples.
Result<diagnose::Verdict> try_target(const Judged& judged, Terminal& terminal);

/// The reference's model and recipe. Null if the reference is a trace, golden outputs or a user's
/// function.
const pipeline::PipelineSpec* reference_spec(const check::Reference& reference);

}  // namespace edgeprobe::cli
