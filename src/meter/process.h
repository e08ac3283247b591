// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meter/reading.h"

namespace edgeprobe::meter {

/// Kernel statistics of one process. `process` is its number, or "self". Memory in bytes; pages
/// shared with other processes count in full, except in proportional_memory().

Reading resident_memory(const Root& root, const std::string& process);  ///< VmRSS: in memory now.
/// VmHWM: the peak so far.
Reading peak_memory(const Root& root, const std::string& process);
/// PSS: shared pages are divided among their users. The kernel walks the whole address space for
/// this (a millisecond or more for a large process): never use it during a timed run.
Reading proportional_memory(const Root& root, const std::string& process);

/// CPU time used by the process with all its threads. Seconds, in steps of a clock tick (10 ms).
Reading user_time(const Root& root, const std::string& process);
Reading system_time(const Root& root, const std::string& process);

}  // namespace edgeprobe::meter
