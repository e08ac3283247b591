// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "contract/front_replay.h"
#include "core/control.h"
#include "core/result.h"
#include "pipeline/inputs/raw_inputs.h"
#include "pipeline/tokenizer/tokenizer.h"
#include "trace/read/reader.h"

namespace edgeprobe::contract {

/// Makes the model input of each frame again and compares. `recipe`: text; ignores its part after
/// "||". `tokenizer`: for a text recipe; null if unknown. Fails if the recipe cannot be parsed or a
/// file cannot be read; kInterrupted if stopped.
Result<FrontReplay> replay_front(const trace::Reader& trace, const pipeline::TraceSamples& raw,
                                 const std::string& recipe, pipeline::Tokenizer* tokenizer,
                                 const Control& control);

}  // namespace edgeprobe::contract
