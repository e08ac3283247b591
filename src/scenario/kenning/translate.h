// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/result.h"
#include "scenario/kenning/source.h"
#include "scenario/kenning/translation.h"

namespace edgeprobe::scenario::kenning {

/// Our scenario for what somebody asked Kenning for. kUnsupported for scenarios that have nothing
/// here, with the reason; kUsage for options, classes and parameters that Kenning never had, with
/// the nearest.
Result<Translation> translate(const Source& source);

/// What the document's tables say: a row for every class and option.
std::string page();

}  // namespace edgeprobe::scenario::kenning
