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

/// Replays a text front end: the recorded integers must equal exactly those it makes of the
/// recorded texts. `tokenizer`: null if there is none. Fails as the tokenizer does.
Result<FrontReplay> replay_text(const trace::Reader& trace, const pipeline::TraceSamples& raw,
                                const text::FrontEnd& front_end, pipeline::Tokenizer* tokenizer,
                                const Control& control);

}  // namespace edgeprobe::contract
