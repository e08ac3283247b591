// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/result.h"
#include "scenario/kenning/source.h"
#include "scenario/kenning/translation.h"

namespace edgeprobe::scenario::kenning {

/// A sentence from the tables without code markup.
std::string without_marks(std::string text);
Note note_of(const std::string& what, const std::string& why);
/// kUsage for an option that Kenning never had, with the nearest one.
Error unknown_option(const std::string& name);

/// `edgeprobe measurements` for a report on existing files.
Result<Translation> translate_report(const Source& source);

}  // namespace edgeprobe::scenario::kenning
