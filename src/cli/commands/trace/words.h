// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/terminal/terminal.h"
#include "trace/read/reader.h"

namespace edgeprobe::cli {

/// Prints the problems of a trace as warnings, starting at index `from`.
void warn(const trace::Reader& reader, Terminal& terminal, std::size_t from = 0);

/// The shape of a channel's tensors, or its encoding if shapes differ between messages.
std::string shape_text(const trace::ReadChannel& channel);

}  // namespace edgeprobe::cli
