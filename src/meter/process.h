// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meter/reading.h"

namespace edgeprobe::meter {

/// What the kernel tells about one process. `process` is its number, or "self".
/// Memory in bytes; all of them count pages shared with others in full, but for
/// proportional_memory().

Reading resident_memory(const Root& root, const std::string& process);  ///< VmRSS: in memory now.
/// VmHWM: the most it ever was.
Reading peak_memory(const Root& root, const std::string& process);
/// PSS: shared pages divided among those who share them. The kernel walks the whole address space
/// for it (a millisecond and more for a large process): never beside a timed run.
Reading proportional_memory(const Root& root, const std::string& process);

/// CPU time that the process, with all its threads, has used. Seconds, in steps of a clock tick (10
/// ms).
Reading user_time(const Root& root, const std::string& process);
Reading system_time(const Root& root, const std::string& process);

}  // namespace edgeprobe::meter
