// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contract/front_replay.h"
#include "core/control.h"
#include "core/result.h"
#include "pipeline/inputs/raw_inputs.h"
#include "pipeline/tokenizer/tokenizer.h"
#include "text/front_end.h"
#include "trace/read/reader.h"

namespace edgeprobe::contract {

/// The replay of a front end of text: the recorded integers are exactly what it makes of the
/// recorded texts, or they are not. `tokenizer`: null where none was given. Fails as the tokenizer
/// does.
Result<FrontReplay> replay_text(const trace::Reader& trace, const pipeline::TraceSamples& raw,
                                const text::FrontEnd& front_end, pipeline::Tokenizer* tokenizer,
                                const Control& control);

}  // namespace edgeprobe::contract
