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

/// Summary of a client for the server's log.
struct Served {
  std::string peer;
  std::string generation;  ///< "" if it sent nothing.
  std::uint64_t requests = 0;
  std::uint64_t damaged = 0;  ///< Requests with a wrong checksum, which are processed anyway.
  std::string problem;        ///< Why its connection ended; "" if it closed normally.
};

/// Serves one client until it closes, breaks the protocol or `stop` becomes true. A running
/// inference is aborted with its engine's process: immediately if the client is gone, or two
/// seconds after `stop`, to allow an answer.
Served serve_client(std::unique_ptr<transport::Connection> connection, Device& device,
                    Uploads& uploads, const std::atomic<bool>* stop,
                    Carrier carrier = Carrier::kStream);

/// Informs a client that arrives while another one is served, and closes its connection.
void refuse_client(std::unique_ptr<transport::Connection> connection, const Options& options,
                   const std::string& why, const std::atomic<bool>* stop);

}  // namespace edgeprobe::serve
