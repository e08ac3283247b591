// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/serve_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_serve(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<ServeArgs>(
      app, "serve",
      "Runs models on this machine for a host elsewhere: 'check --target', Kenning's clients",
      "edgeprobe serve --listen 127.0.0.1:12345", chosen, sub);
  sub->add_option("--listen", args->listen,
                  "HOST:PORT (port 0: any that is free), unix:/PATH or "
                  "serial:/dev/NAME?baud=115200; beyond this machine certificates are needed, or "
                  "--insecure")
      ->capture_default_str();
  sub->add_flag("--stdio", args->stdio,
                "Serve the one client at standard input and output, then end");
  sub->add_flag("--insecure", args->insecure,
                "Listen where other machines reach it, unencrypted, and serve anybody");
  const char* const tls = "TLS";
  sub->add_option("--tls-cert", args->tls_cert,
                  "The server's certificate, PEM, with those that lead to its authority")
      ->type_name("FILE")
      ->group(tls);
  sub->add_option("--tls-key", args->tls_key, "Its key (default: in the same file)")
      ->type_name("FILE")
      ->group(tls);
  sub->add_option("--tls-client-ca", args->tls_client_ca,
                  "Authority, PEM: clients are served whose certificate it has signed")
      ->type_name("FILE")
      ->group(tls);
  sub->add_option("--protocol", args->protocol,
                  "auto | g1 | g2 | g3 | g3-late | g4: what clients speak "
                  "(docs/reference/protocol.md)")
      ->capture_default_str();
  sub->add_flag("--allow-native-models", args->allow_native_models,
                "Run compiled models (TVM), which are native code");
  sub->add_flag("--quiet", args->quiet, "Say nothing of clients on standard error");
  const char* const limits = "Limits";
  sub->add_option("--handshake-limit", args->handshake_limit_s,
                  "Seconds of the TLS handshake, which keeps nobody else out")
      ->capture_default_str()
      ->group(limits);
  sub->add_option("--greeting", args->greeting_ms,
                  "Milliseconds without a byte after which a client is greeted")
      ->capture_default_str()
      ->group(limits);
  sub->add_option("--ok-gap", args->ok_gap_ms,
                  "Milliseconds between the two OKs of a g1 client, which must not read them "
                  "together")
      ->capture_default_str()
      ->group(limits);
  sub->add_option("--message-limit", args->message_limit_s,
                  "Seconds from the first byte of a message to its last")
      ->capture_default_str()
      ->group(limits);
  sub->add_option("--idle-limit", args->idle_limit_s, "Seconds between two messages")
      ->capture_default_str()
      ->group(limits);
  sub->add_option("--longest-message", args->longest_message, "Of one request, e.g. 200MB")
      ->capture_default_str()
      ->group(limits);
  sub->add_option("--models", args->uploads, "Bytes of all models that are kept, e.g. 500MB")
      ->capture_default_str()
      ->group(limits);
  sub->add_option("--memory", args->memory,
                  "Bytes that the server may allocate, and each engine process, e.g. 4GB "
                  "(default: what the system gives)")
      ->group(limits);
  add_engine(*sub, args->pipeline, "", "Engine");
  add_cpus(*sub, args->pipeline, "", "Engine");
}

}  // namespace edgeprobe::cli
