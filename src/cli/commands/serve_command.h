// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe serve`: runs models on this machine for a host elsewhere.
struct ServeArgs {
  std::string listen = "127.0.0.1:12345";
  bool stdio = false;
  bool insecure = false;
  std::string tls_cert, tls_key, tls_client_ca;
  std::string protocol = "auto";
  PipelineFlags pipeline;  ///< Of the engine; no model.
  double handshake_limit_s = 10, greeting_ms = 150, ok_gap_ms = 20, message_limit_s = 60,
         idle_limit_s = 600;
  std::string longest_message = "1GB", uploads = "2GB";
  std::string memory;  ///< Of a process; "": no limit.
  bool allow_native_models = false;
  bool quiet = false;
};

/// Runs until it is interrupted. kUsage for an address beyond this machine without TLS or
/// --insecure.
Result<Outcome> run(const ServeArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
