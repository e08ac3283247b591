// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "core/file.h"
#include "trace/mcap/mcap.h"
#include "trace/mcap/problems.h"
#include "trace/mcap/summary.h"

namespace edgeprobe::trace {

/// How a walk went.
struct Walked {
  std::uint64_t visited_bytes = 0;  ///< Of the records that were visited.
  std::uint64_t end = 0;            ///< Where the last of them ends.
  bool ended = false;               ///< The data section has its end record.
};

/// Visits the records of the data section in file order, until the visitor says false. Where no
/// whole record stands, it goes on at the next chunk: one that the summary names, else the next
/// bytes that are a chunk by their sizes and their checksum. Pages that were walked over are given
/// back.
Walked walk(const MappedFile& file, const Summary& summary, Problems& problems,
            const std::function<bool(const mcap::Record&)>& visitor);

}  // namespace edgeprobe::trace
