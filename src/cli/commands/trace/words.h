// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/terminal/terminal.h"
#include "trace/read/reader.h"

namespace edgeprobe::cli {

/// The problems of a trace as warnings, those before `from` left out.
void warn(const trace::Reader& reader, Terminal& terminal, std::size_t from = 0);

/// The shape of a channel's tensors, or its encoding where each message has its own.
std::string shape_text(const trace::ReadChannel& channel);

}  // namespace edgeprobe::cli
