// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/fix/judged.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// How a model does with the reference's pre-processing, by the same check as the verdict's.
/// On the deployment's engine, or the reference's. Without `layers` only the outputs are compared;
/// `most` samples, evenly spread.
Result<diagnose::Verdict> try_model(const Judged& judged, const std::filesystem::path& model,
                                    const std::string& recipe, bool layers, std::size_t most,
                                    Terminal& terminal);

/// The target itself, with its own pre-processing, on these samples.
Result<diagnose::Verdict> try_target(const Judged& judged, Terminal& terminal);

/// The reference's model and recipe. Null where a trace, known outputs or a user's function is the
/// reference.
const pipeline::PipelineSpec* reference_spec(const check::Reference& reference);

}  // namespace edgeprobe::cli
