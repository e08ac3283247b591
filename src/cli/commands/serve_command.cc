// SPDX-License-Identifier: Apache-2.0
#include <string>
#include "cli/options/pipeline_flags.h"
#include "cli/options/values.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>

#include "core/text.h"
#include "engine/serial_line.h"
#include "serve/recording/recording.h"
#include "serve/server.h"
#include "serve/trial.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe serve`: runs models on this machine for a remote host.
struct ServeArgs {
  std::string listen = "127.0.0.1:12345";
  bool stdio = false;
  bool insecure = false;
  std::string tls_cert, tls_key, tls_client_ca;
  std::string protocol = "auto";
  PipelineFlags pipeline;  ///< Only engine options; no model.
  double handshake_limit_s = 10, greeting_ms = 150, ok_gap_ms = 60, message_limit_s = 60,
         idle_limit_s = 600;
  std::string longest_message = "1GB", uploads = "2GB";
  std::string memory;  ///< Limit per process; "": no limit.
  bool allow_native_models = false;
  bool quiet = false;
};

namespace {

Result<std::chrono::milliseconds> time_from(double milliseconds, const char* flag) {
  constexpr double kMost = 1e11;  // Three years.
  if (!(milliseconds >= 0) || milliseconds > kMost)
    return Error{ErrorKind::kUsage, std::string(flag) + ": expected a time from 0 on"};
  return std::chrono::milliseconds(std::llround(milliseconds));
}

Result<serve::Limits> limits_from(const ServeArgs& args) {
  serve::Limits limits;
  struct Time {
    double milliseconds;
    const char* flag;
    std::chrono::milliseconds& to;
  };
  for (const Time& time :
       {Time{args.handshake_limit_s * 1000, "--handshake-limit", limits.handshake},
        Time{args.greeting_ms, "--greeting", limits.greeting},
        Time{args.message_limit_s * 1000, "--message-limit", limits.message},
        Time{args.idle_limit_s * 1000, "--idle-limit", limits.idle}}) {
    EP_TRY(time.to, time_from(time.milliseconds, time.flag));
  }
  auto longest = bytes_from_text(args.longest_message);
  if (!longest) return std::move(longest.error()).during("--longest-message");
  limits.longest_message = *longest;
  auto uploads = bytes_from_text(args.uploads);
  if (!uploads) return std::move(uploads.error()).during("--models");
  limits.uploads = *uploads;
  if (args.memory.empty()) return limits;
  // Clients learn the limit before they send data that is too large.
  auto memory = bytes_from_text(args.memory);
  if (!memory) return std::move(memory.error()).during("--memory");
  limits.longest_message = std::min(limits.longest_message, *memory);
  limits.uploads = std::min(limits.uploads, *memory);
  return limits;
}

/// The files of --tls-...; unset without these flags.
Result<std::optional<transport::TlsFiles>> tls_from(const ServeArgs& args) {
  const bool is_wanted =
      !args.tls_cert.empty() || !args.tls_key.empty() || !args.tls_client_ca.empty();
  if (!is_wanted) return std::optional<transport::TlsFiles>();
  const char* const missing = args.tls_cert.empty()        ? "--tls-cert"
                              : args.tls_client_ca.empty() ? "--tls-client-ca"
                                                           : nullptr;
  if (missing)
    return Error{ErrorKind::kUsage, std::string(missing) +
                                        " FILE is missing: TLS needs the server's certificate and "
                                        "the authority of its clients' certificates"};
  if (args.insecure)
    return Error{ErrorKind::kUsage,
                 "--insecure with --tls-cert: leave it out if there are certificates"};
  if (args.stdio || args.listen.starts_with("unix:") || args.listen.starts_with("serial:"))
    return Error{ErrorKind::kUsage,
                 "--tls-cert is for --listen HOST:PORT; who reaches this way is "
                 "this machine's to say"};
  return std::optional(transport::TlsFiles{args.tls_cert, args.tls_key, args.tls_client_ca});
}

Result<serve::Options> options_from(const ServeArgs& args) {
  serve::Options options;
  EP_TRY(auto spec, spec_from(args.pipeline));
  if (names_engine(args.pipeline)) options.engine = spec.engine;
  options.session = spec.session;
  if (args.protocol != "auto") {
    options.protocol = protocol::generation_from_name(args.protocol);
    if (!options.protocol)
      return Error{ErrorKind::kUsage, "--protocol '" + sanitized(args.protocol) +
                                          "': expected auto, g1, g2, g3, g3-late or g4"};
  }
  EP_TRY(options.ok_gap, time_from(args.ok_gap_ms, "--ok-gap"));
  EP_TRY(options.tls, tls_from(args));
  options.allow_native_models = args.allow_native_models;
  options.recorder = serve::record;
  EP_TRY(options.limits, limits_from(args));
  return options;
}

/// Limits this process and, by inheritance, each engine process that it starts.
Status limit_memory(const std::string& text) {
  if (text.empty()) return {};
  const auto bytes = bytes_from_text(text);
  if (!bytes) return Error(bytes.error()).during("--memory");
  const rlimit limit{*bytes, *bytes};
  if (::setrlimit(RLIMIT_DATA, &limit) == 0) return {};
  return Error{ErrorKind::kUsage, "--memory " + sanitized(text) + ": " + std::strerror(errno)};
}

/// kUsage for access by other machines that was not explicitly allowed.
Status check_reach(const ServeArgs& args, const transport::Address& address) {
  if (transport::is_loopback(address) || !args.tls_cert.empty()) return {};
  if (!args.insecure)
    return Error{ErrorKind::kUsage,
                 "--listen " + sanitized(args.listen) +
                     ": other machines reach this address, and without certificates nothing is "
                     "encrypted and no client has to identify itself. With certificates "
                     "(docs/guides/targets.md says how to make them):\n"
                     "edgeprobe serve --listen " +
                     sanitized(args.listen) +
                     " --tls-cert device.pem --tls-key device.key --tls-client-ca ca.pem\n"
                     "By ssh from the host, to the default address of 'edgeprobe serve':\n"
                     "ssh -L 12345:127.0.0.1:12345 DEVICE\n"
                     "In a network of your own:\n"
                     "edgeprobe serve --listen " +
                     sanitized(args.listen) + " --insecure"};
  if (args.allow_native_models)
    return Error{ErrorKind::kUsage,
                 "--allow-native-models with --insecure: anyone who reaches this address could run "
                 "code; use --tls-cert"};
  return {};
}

std::string ended_line(const serve::Served& served) {
  return sanitized(served.peer) + (served.generation.empty() ? "" : ", " + served.generation) +
         ": " + std::to_string(served.requests) + " requests, " +
         (served.damaged == 0 ? "" : std::to_string(served.damaged) + " with a wrong checksum, ") +
         (served.problem.empty() ? "closed" : sanitized(served.problem, 500));
}

Result<Outcome> serve_line(const ServeArgs& args, const serve::Options& options, serve::Log& log,
                           Terminal& terminal) {
  const auto target = engine::target_from_text(args.listen);
  if (!target) return Error(target.error()).during("--listen");
  if (options.protocol == protocol::Generation::kG1)
    return Error{ErrorKind::kUsage, "--protocol g1: serial lines are spoken from g2 on"};
  // Printed on standard output, as the port is with TCP.
  log.listening = [&](const transport::Address&) {
    terminal.out << "listening on " << sanitized(engine::to_string(*target)) << std::endl;
  };
  EP_CHECK(serve::serve_line(engine::serial_line_of(*target), options, log, terminal.control()));
  return Outcome::kDone;
}

}  // namespace

/// Runs until interrupted. kUsage for an address reachable from other machines without TLS or
/// --insecure.
Result<Outcome> run(const ServeArgs& args, Terminal& terminal) {
  EP_TRY(auto options, options_from(args));
  EP_CHECK(limit_memory(args.memory));
  // With --stdio a client is already waiting, and learns it from the first answer.
  if (!args.stdio) {
    if (auto works = serve::try_engine(options); !works)
      return std::move(works.error()).during("the engine of this server");
  }
  std::mutex writing;
  const auto say = [&](const std::string& line) {
    const std::lock_guard lock(writing);
    if (!args.quiet) terminal.err << line << std::endl;
  };
  serve::Log log;
  log.connected = [&](const std::string& peer) { say(sanitized(peer) + ": connected"); };
  log.ended = [&](const serve::Served& served) { say(ended_line(served)); };
  log.refused = [&](const std::string& peer) {
    say(sanitized(peer) + ": refused, another client is being served");
  };
  if (args.stdio) {
    EP_CHECK(serve::serve_stdio(options, log, terminal.control()));
    return Outcome::kDone;
  }
  if (args.listen.starts_with("serial:")) return serve_line(args, options, log, terminal);
  auto address = transport::address_from_text(args.listen);
  if (!address) return std::move(address.error()).during("--listen");
  EP_CHECK(check_reach(args, *address));
  // Printed on standard output, for a program that waits for the port.
  log.listening = [&](const transport::Address& bound) {
    terminal.out << "listening on " << sanitized(transport::to_string(bound)) << std::endl;
  };
  EP_CHECK(serve::serve(*address, options, log, terminal.control()));
  return Outcome::kDone;
}

Work declare_serve(Parser& parser) {
  auto args = std::make_shared<ServeArgs>();
  parser
      .option("--listen", args->listen,
              "HOST:PORT (port 0: any free port), unix:/PATH or serial:/dev/NAME?baud=115200; "
              "other machines need certificates, or --insecure")
      .shows_default();
  parser.flag("--stdio", args->stdio, "Serve one client on standard input and output, then exit");
  parser.flag("--insecure", args->insecure,
              "Listen for other machines without encryption or authentication");
  const char* const tls = "TLS";
  parser.option("--tls-cert", args->tls_cert, "The server's certificate, PEM, with its chain")
      .type("FILE")
      .group(tls);
  parser.option("--tls-key", args->tls_key, "The server's private key (default: in the same file)")
      .type("FILE")
      .group(tls);
  parser
      .option("--tls-client-ca", args->tls_client_ca,
              "Certificate authority, PEM, that must have signed the clients' certificates")
      .type("FILE")
      .group(tls);
  parser
      .option("--protocol", args->protocol,
              "auto | g1 | g2 | g3 | g3-late | g4: the clients' generation "
              "(docs/reference/protocol.md)")
      .shows_default();
  parser.flag("--allow-native-models", args->allow_native_models,
              "Allow compiled models (TVM), which are native code");
  parser.flag("--quiet", args->quiet, "Do not log clients on standard error");
  const char* const limits = "Limits";
  parser
      .option("--handshake-limit", args->handshake_limit_s,
              "Seconds for the TLS handshake; other clients need not wait for it")
      .shows_default()
      .group(limits);
  parser
      .option("--greeting", args->greeting_ms,
              "Milliseconds of silence after which a client is greeted")
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
              "Seconds without a further byte of a message that has begun; after that it must "
              "arrive at 1,000 bytes per second (100 on a serial line)")
      .shows_default()
      .group(limits);
  parser.option("--idle-limit", args->idle_limit_s, "Seconds between two messages")
      .shows_default()
      .group(limits);
  parser.option("--longest-message", args->longest_message, "Size of one request, e.g. 200MB")
      .shows_default()
      .group(limits);
  parser.option("--models", args->uploads, "Size of all stored models, e.g. 500MB")
      .shows_default()
      .group(limits);
  parser
      .option("--memory", args->memory,
              "Memory of the server and of each engine process, e.g. 4GB (default: no limit)")
      .group(limits);
  add_python(parser, args->pipeline, "");
  add_engine(parser, args->pipeline, "", "Engine");
  add_cpus(parser, args->pipeline, "", "Engine");
  return work_of(args);
}

}  // namespace edgeprobe::cli
