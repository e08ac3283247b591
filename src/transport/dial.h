// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/result.h"
#include "transport/address.h"
#include "transport/connection.h"

namespace edgeprobe::transport {

/// A connection to a server. kTarget in words: nobody listens there, no answer within the wait.
Result<std::unique_ptr<Connection>> dial(const Address& address, const Wait& wait);
/// The connected socket alone.
Result<Descriptor> dial_socket(const Address& address, const Wait& wait);

}  // namespace edgeprobe::transport
