// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "core/result.h"
#include "transport/address.h"
#include "transport/connection.h"

namespace edgeprobe::transport {

inline constexpr std::string_view kOurServer = "'edgeprobe serve'";

/// Connects to a server. kTarget with a message: no server listens there, or no answer within the
/// wait. `server` names the program that should listen, for the advice.
Result<std::unique_ptr<Connection>> dial(const Address& address, const Wait& wait,
                                         std::string_view server = kOurServer);
/// Only the connected socket.
Result<Descriptor> dial_socket(const Address& address, const Wait& wait,
                               std::string_view server = kOurServer);

}  // namespace edgeprobe::transport
