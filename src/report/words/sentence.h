// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report/words/statement_values.h"

namespace edgeprobe::report {

/// A sentence with values in the places of its braces:
///     {left}, {left:2}       a number of three significant digits, or of two
///     {#layers}              a whole number
///     {#frames:frame}        with its noun: "1 frame", "3 frames"
///     {%share}, {%share:2}   a fraction in percent, of one decimal or of two
///     {'format}              a text of ours, as it is
///     {'name:60}             a text from a file, sanitized, of at most this many bytes
std::string filled(std::string_view sentence, const Values& values);

}  // namespace edgeprobe::report
