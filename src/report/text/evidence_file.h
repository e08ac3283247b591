// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "evidence/bundle.h"
#include "evidence/replay.h"

namespace edgeprobe::report {

/// What a file of evidence holds, for a terminal, and what became of its replay (null: none).
std::string evidence_file_text(const evidence::Opened& opened, std::size_t bytes,
                               const engine::EngineIdentity* engine,
                               const evidence::Replayed* replayed);

/// The same as JSON (docs/reference/evidence.md).
std::string evidence_file_json(const evidence::Opened& opened, std::size_t bytes,
                               const engine::EngineIdentity* engine,
                               const evidence::Replayed* replayed);

}  // namespace edgeprobe::report
