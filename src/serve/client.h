// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "serve/device.h"
#include "serve/peer.h"
#include "serve/uploads.h"
#include "transport/connection.h"

namespace edgeprobe::serve {

/// What became of a client, for the server's log.
struct Served {
  std::string peer;
  std::string generation;  ///< "" when it said nothing.
  std::uint64_t requests = 0;
  std::uint64_t damaged =
      0;                ///< Requests with a wrong checksum, which are worked off all the same.
  std::string problem;  ///< Why its connection ended; "" when it closed.
};

/// Serves one client until it closes, breaks the protocol or `stop` becomes true. An inference that
/// runs then is ended with its engine's process: at once when the client is gone, two seconds after
/// `stop`, until which it may be answered.
Served serve_client(std::unique_ptr<transport::Connection> connection, Device& device,
                    Uploads& uploads, const std::atomic<bool>* stop,
                    Carrier carrier = Carrier::kStream);

/// Tells a client that came while another one is served, and ends its connection.
void refuse_client(std::unique_ptr<transport::Connection> connection, const Options& options,
                   const std::string& why, const std::atomic<bool>* stop);

}  // namespace edgeprobe::serve
