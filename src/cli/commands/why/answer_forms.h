// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "why/answer.h"

namespace edgeprobe::cli {

/// Headline, evidence, fix, and what would decide an open question.
std::string text_of(const why::Answer& answer);
/// According to docs/reference/why.schema.json.
std::string json_of(const why::Answer& answer);

}  // namespace edgeprobe::cli
