// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control.h"
#include "core/result.h"
#include "serve/server.h"
#include "transport/serial.h"

namespace edgeprobe::serve {

/// Serves the clients at the other end of a serial line, one after the other, until control.stop.
/// A client ends with its PING, with silence, or with bytes that make no sense; the next one is
/// looked for behind whatever stands on the line then. kTarget when the line cannot be opened, and
/// when it is gone.
Status serve_line(const transport::SerialLine& where, const Options& options, const Log& log,
                  const Control& control);

}  // namespace edgeprobe::serve
