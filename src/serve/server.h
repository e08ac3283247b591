// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "core/control.h"
#include "core/result.h"
#include "serve/client.h"
#include "transport/listener.h"
#include "transport/serial.h"

namespace edgeprobe::serve {

/// A server's messages; each may be called from any thread. Empty ones are skipped.
struct Log {
  std::function<void(const transport::Address&)> listening;
  std::function<void(const std::string& peer)> connected;
  std::function<void(const Served&)> ended;
  std::function<void(const std::string& peer)> refused;
};

/// Serves one client after the other until control.stop; informs others that arrive meanwhile, and
/// closes their connections.
Status serve(const transport::Address& address, const Options& options, const Log& log,
             const Control& control, Device::Opener opener = engine::open_supervised);

/// Serves a single client on standard input and output, until it closes.
Status serve_stdio(const Options& options, const Log& log, const Control& control);

/// Serves clients on a serial line, one after the other, until control.stop. A client's session
/// ends with its PING, with silence, or with invalid bytes; the next one is searched for in the
/// bytes that follow. kTarget if the line cannot be opened, or disappears.
Status serve_line(const transport::SerialLine& where, const Options& options, const Log& log,
                  const Control& control);

}  // namespace edgeprobe::serve
