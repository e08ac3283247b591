// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/result.h"
#include "scenario/kenning/source.h"
#include "scenario/kenning/translation.h"

namespace edgeprobe::scenario::kenning {

/// Translates a request to Kenning into our scenario. kUnsupported for scenarios without an
/// equivalent, with the reason; kUsage for options, classes and parameters that Kenning never had,
/// with the nearest one.
Result<Translation> translate(const Source& source);

/// The tables of the document: a row for every class and option.
std::string page();

}  // namespace edgeprobe::scenario::kenning
