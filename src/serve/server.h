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

/// What a server says while it runs; each may be called from any thread. Empty ones are not.
struct Log {
  std::function<void(const transport::Address&)> listening;
  std::function<void(const std::string& peer)> connected;
  std::function<void(const Served&)> ended;
  std::function<void(const std::string& peer)> refused;
};

/// Serves one client after the other until control.stop; one that comes meanwhile is told so and
/// its connection ends.
Status serve(const transport::Address& address, const Options& options, const Log& log,
             const Control& control, Device::Opener opener = engine::open_supervised);

/// Serves the one client at the other end of standard input and output, until it closes.
Status serve_stdio(const Options& options, const Log& log, const Control& control);

/// Serves the clients at the other end of a serial line, one after the other, until control.stop.
/// A client ends with its PING, with silence, or with bytes that make no sense; the next one is
/// looked for behind whatever stands on the line then. kTarget when the line cannot be opened, and
/// when it is gone.
Status serve_line(const transport::SerialLine& where, const Options& options, const Log& log,
                  const Control& control);

}  // namespace edgeprobe::serve
