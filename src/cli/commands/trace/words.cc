// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/trace/words.h"

namespace edgeprobe::cli {

void warn(const trace::Reader& reader, Terminal& terminal, std::size_t from) {
  const auto& problems = reader.problems();
  for (std::size_t i = from; i < problems.size(); ++i)
    terminal.err << "warning: " << problems[i] << "\n";
}

std::string shape_text(const trace::ReadChannel& channel) {
  return channel.channel.is_open() ? channel.channel.encoding : to_text(channel.channel.spec.shape);
}

}  // namespace edgeprobe::cli
