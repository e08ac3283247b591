// SPDX-License-Identifier: Apache-2.0
#include "process/child.h"

#include <cstdlib>
#include <filesystem>

namespace edgeprobe::process {

Result<Command> this_program(std::vector<std::string> arguments) {
  const char* const launcher = std::getenv(kLauncherVariable);
  Command command;
  command.program = "/proc/self/exe";
  command.arguments = std::move(arguments);
  if (!launcher || !*launcher) return command;
  // Under an emulator, the kernel cannot start this program directly: the emulator gets its path as
  // an argument.
  std::error_code unknown;
  command.arguments.insert(command.arguments.begin() + 1,
                           std::filesystem::read_symlink(command.program, unknown).string());
  if (unknown) return Error{ErrorKind::kTarget, "/proc/self/exe: " + unknown.message()};
  command.program = launcher;
  return command;
}

}  // namespace edgeprobe::process
