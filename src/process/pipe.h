// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/descriptor.h"
#include "core/result.h"

namespace edgeprobe::process {

/// Both ends of a connection: one stays here, a child inherits the other (Command::descriptors).
/// Closed on exec, and numbered above the standard descriptors, which may be closed at start.
struct Ends {
  Descriptor ours, theirs;
};

/// A pair of connected stream sockets. kTarget without a free descriptor.
Result<Ends> socket_pair();
/// A pipe from this process to the child. kTarget without a free descriptor.
Result<Ends> pipe_to_child();
/// A pipe from the child to this process. kTarget without a free descriptor.
Result<Ends> pipe_from_child();

}  // namespace edgeprobe::process
