// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bisect/bisected.h"

namespace edgeprobe::report {

/// What was found, for a terminal: a sentence, and a line for each wrong operator.
std::string bisect_text(const bisect::Bisected& bisected);

/// The same as JSON, with every device run (docs/guides/bisect.md).
std::string bisect_json(const bisect::Bisected& bisected);

}  // namespace edgeprobe::report
