// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/serve_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_serve(Parser& parser) {
  auto args = std::make_shared<ServeArgs>();
  parser
      .option("--listen", args->listen,
              "HOST:PORT (port 0: any that is free), unix:/PATH or "
              "serial:/dev/NAME?baud=115200; beyond this machine certificates are needed, or "
              "--insecure")
      .shows_default();
  parser.flag("--stdio", args->stdio,
              "Serve the one client at standard input and output, then end");
  parser.flag("--insecure", args->insecure,
              "Listen where other machines reach it, unencrypted, and serve anybody");
  const char* const tls = "TLS";
  parser
      .option("--tls-cert", args->tls_cert,
              "The server's certificate, PEM, with those that lead to its authority")
      .type("FILE")
      .group(tls);
  parser.option("--tls-key", args->tls_key, "Its key (default: in the same file)")
      .type("FILE")
      .group(tls);
  parser
      .option("--tls-client-ca", args->tls_client_ca,
              "Authority, PEM: clients are served whose certificate it has signed")
      .type("FILE")
      .group(tls);
  parser
      .option("--protocol", args->protocol,
              "auto | g1 | g2 | g3 | g3-late | g4: what clients speak "
              "(docs/reference/protocol.md)")
      .shows_default();
  parser.flag("--allow-native-models", args->allow_native_models,
              "Run compiled models (TVM), which are native code");
  parser.flag("--quiet", args->quiet, "Say nothing of clients on standard error");
  const char* const limits = "Limits";
  parser
      .option("--handshake-limit", args->handshake_limit_s,
              "Seconds of the TLS handshake, which keeps nobody else out")
      .shows_default()
      .group(limits);
  parser
      .option("--greeting", args->greeting_ms,
              "Milliseconds without a byte after which a client is greeted")
      .shows_default()
      .group(limits);
  parser
      .option("--ok-gap", args->ok_gap_ms,
              "Milliseconds between the two OKs of a g1 client, which must not read them "
              "together")
      .shows_default()
      .group(limits);
  parser
      .option("--message-limit", args->message_limit_s,
              "Seconds from the first byte of a message to its last")
      .shows_default()
      .group(limits);
  parser.option("--idle-limit", args->idle_limit_s, "Seconds between two messages")
      .shows_default()
      .group(limits);
  parser.option("--longest-message", args->longest_message, "Of one request, e.g. 200MB")
      .shows_default()
      .group(limits);
  parser.option("--models", args->uploads, "Bytes of all models that are kept, e.g. 500MB")
      .shows_default()
      .group(limits);
  parser
      .option("--memory", args->memory,
              "Bytes that the server may allocate, and each engine process, e.g. 4GB "
              "(default: what the system gives)")
      .group(limits);
  add_engine(parser, args->pipeline, "", "Engine");
  add_cpus(parser, args->pipeline, "", "Engine");
  return work_of(args);
}

}  // namespace edgeprobe::cli
