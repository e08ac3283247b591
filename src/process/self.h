// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "process/child.h"

namespace edgeprobe::process {

/// Names a program that starts this one again, given this program's path and its arguments: an
/// emulator such as qemu-aarch64-static. Unset or empty: the kernel starts it.
inline constexpr const char* kLauncherVariable = "EDGEPROBE_WORKER_LAUNCHER";

/// This program again, with other arguments, its own name first. kTarget where its path cannot be
/// read, which only a launcher needs.
Result<Command> this_program(std::vector<std::string> arguments);

}  // namespace edgeprobe::process
