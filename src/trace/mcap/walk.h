// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "core/file.h"
#include "trace/mcap/mcap.h"
#include "trace/mcap/problems.h"
#include "trace/mcap/summary.h"

namespace edgeprobe::trace {

/// Result of a walk.
struct Walked {
  std::uint64_t visited_bytes = 0;  ///< Bytes of the visited records.
  std::uint64_t end = 0;            ///< End of the last visited record.
  bool ended = false;               ///< The data section has its end record.
};

/// Visits the records of the data section in file order until the visitor returns false. At a
/// damaged record, continues at the next chunk in the summary, or else at the next bytes that form
/// a chunk with the right sizes and checksum. Releases visited pages.
Walked walk(const MappedFile& file, const Summary& summary, Problems& problems,
            const std::function<bool(const mcap::Record&)>& visitor);

}  // namespace edgeprobe::trace
