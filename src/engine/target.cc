// SPDX-License-Identifier: Apache-2.0
#include "engine/target.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/text.h"
#include "engine/kinds.h"
#include "engine/plugin.h"
#include "engine/target_parameters.h"

namespace edgeprobe::engine {
namespace {

/// Syntax after a transport's name.
enum class Form { kHostPort, kHostPortOrPath, kHost, kPath, kSerial };

struct TransportRow {
  Transport transport;
  const char* name;
  Form form;
  const char* example;
};
constexpr std::array kTransports{
    TransportRow{Transport::kTcp, "tcp", Form::kHostPort, "tcp://HOST:PORT"},
    TransportRow{Transport::kTls, "tls", Form::kHostPort, "tls://HOST:PORT"},
    TransportRow{Transport::kKenning, "kenning", Form::kHostPortOrPath,
                 "kenning://HOST:PORT or kenning:/dev/NAME"},
    TransportRow{Transport::kSsh, "ssh", Form::kHost, "ssh://[USER@]HOST[:PORT]"},
    TransportRow{Transport::kUnix, "unix", Form::kPath, "unix:/PATH"},
    TransportRow{Transport::kSerial, "serial", Form::kPath, "serial:/dev/NAME"},
    TransportRow{Transport::kAdb, "adb", Form::kSerial, "adb:SERIAL"},
};

const TransportRow* find_transport(std::string_view name) {
  for (const TransportRow& row : kTransports)
    if (name == row.name) return &row;
  return nullptr;
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool consists_of(std::string_view text, std::string_view others) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [others](char c) {
    return is_letter_or_digit(c) || others.find(c) != std::string_view::npos;
  });
}

/// No control characters: addresses are shown to users.
bool is_plain(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

std::optional<std::uint16_t> port_from(std::string_view text) {
  std::uint16_t port = 0;
  const auto [at, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (failure != std::errc{} || at != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

Error expected(std::string_view text, const TransportRow& row) {
  return {ErrorKind::kUsage, "engine '" + sanitized(text) + "': expected " + row.example +
                                 (row.form == Form::kHostPort ? ", a port from 1 to 65535" : "")};
}

/// "HOST", "HOST:PORT", "[IPV6]", "[IPV6]:PORT".
bool take_host(std::string_view rest, TargetUri& target) {
  std::string_view host = rest, port;
  bool has_port = false;
  if (rest.starts_with('[')) {
    const auto end = rest.find(']');
    if (end == std::string_view::npos) return false;
    host = rest.substr(1, end - 1);
    const std::string_view after = rest.substr(end + 1);
    has_port = !after.empty();
    if (has_port && after.front() != ':') return false;
    port = has_port ? after.substr(1) : "";
    // Without a colon it would be parsed as a name.
    if (!consists_of(host, ":.%") || host.find(':') == std::string_view::npos) return false;
  } else {
    const auto colon = rest.find(':');
    has_port = colon != std::string_view::npos;
    host = rest.substr(0, colon);
    port = has_port ? rest.substr(colon + 1) : "";
    if (!consists_of(host, ".-_")) return false;
  }
  target.host = host;
  if (has_port) target.port = port_from(port);
  return !has_port || target.port;
}

bool take_address(std::string_view rest, Form form, TargetUri& target) {
  if (form == Form::kSerial) {
    target.serial = rest;  // HOST:PORT for a device in the network.
    return consists_of(rest, ".-_:");
  }
  if (form == Form::kPath || (form == Form::kHostPortOrPath && !rest.starts_with("//"))) {
    target.path = rest;
    return rest.starts_with('/') && is_plain(rest);
  }
  if (!rest.starts_with("//")) return false;
  rest.remove_prefix(2);
  if (const auto at = rest.find('@'); form == Form::kHost && at != std::string_view::npos) {
    target.user = rest.substr(0, at);
    if (!consists_of(target.user, ".-_")) return false;
    rest.remove_prefix(at + 1);
  }
  return take_host(rest, target) && (form == Form::kHost || target.port);
}

std::string host_text(const TargetUri& target) {
  const bool is_ipv6 = target.host.find(':') != std::string::npos;
  return (target.user.empty() ? "" : target.user + "@") +
         (is_ipv6 ? "[" + target.host + "]" : target.host) +
         (target.port ? ":" + std::to_string(*target.port) : "");
}

/// kUsage for a parameter that does not suit the address.
Status check_line(const TargetUri& target) {
  const auto wrong = [](const std::string& what) { return Error{ErrorKind::kUsage, what}; };
  if (target.path.empty())
    for (const char* const key : {"baud", "flow"})
      if (target.parameters.count(key) > 0)
        return wrong(std::string(key) +
                     " is of a serial line, serial:/dev/NAME or kenning:/dev/NAME");
  const std::string generation = value_of(target.parameters, "generation");
  if (!target.path.empty() && generation.starts_with("g1"))
    return wrong("generation '" + generation + "': serial lines are spoken from g2 on");
  return {};
}

/// kUsage for missing TLS parameters.
Status check_tls(const Parameters& parameters) {
  if (value_of(parameters, "ca").empty())
    return Error{ErrorKind::kUsage,
                 "the authority of the server's certificate is missing: "
                 "tls://HOST:PORT?cert=host.pem&key=host.key&ca=ca.pem"};
  if (value_of(parameters, "cert").empty() && !value_of(parameters, "key").empty())
    return Error{ErrorKind::kUsage, "key without cert: a key goes with its certificate"};
  return {};
}

Error unknown(const std::string& word, bool is_address) {
  std::vector<std::string> known = engine_names();
  if (is_address) {
    known.clear();
    for (const TransportRow& row : kTransports) known.emplace_back(row.name);
  }
  std::vector<std::string> all = known;
  if (!is_address) all.insert(all.end(), own_plugins().begin(), own_plugins().end());
  const std::string near = closest_match(word, all);
  const std::string more =
      is_address ? ""
                 : ", each with an optional ':library.so', and plug-ins: " + listed(own_plugins()) +
                       ", FILE.py:CLASS, python:NAME";
  return {ErrorKind::kUsage, (is_address ? "transport '" : "engine '") + sanitized(word) +
                                 "' is unknown" +
                                 (!near.empty() ? "; did you mean '" + near + "'?"
                                                : "; known are " + listed(known) + more)};
}

}  // namespace

const char* name(Transport transport) {
  for (const TransportRow& row : kTransports)
    if (row.transport == transport) return row.name;
  return "";
}

bool starts_server(Transport transport) {
  return transport == Transport::kSsh || transport == Transport::kAdb;
}

Result<TargetUri> target_from_text(std::string_view text) {
  const auto colon = text.find(':');
  const std::string word(text.substr(0, colon));
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  TargetUri target;
  if (find_kind(word)) {
    target.kind = word;
    target.library = std::filesystem::path(rest);
    if (colon != std::string_view::npos && rest.empty())
      return Error{ErrorKind::kUsage, "engine '" + sanitized(text) + "' names no " +
                                          (find_kind(word)->planned   ? "plan"
                                           : find_kind(word)->plugged ? "plug-in"
                                                                      : "library") +
                                          " after the colon"};
    return target;
  }
  if (is_plugin_text(text)) {
    target.kind = kind_of(EngineId::kPython).name;
    target.library = std::filesystem::path(text);
    return target;
  }
  const TransportRow* const row = find_transport(word);
  if (!row) return unknown(word, rest.starts_with("//"));
  target.transport = row->transport;
  std::string_view address = rest;
  if (takes_parameters(target.transport)) {
    address = rest.substr(0, rest.find('?'));
    if (address.size() < rest.size()) {
      auto read = read_parameters(rest.substr(address.size() + 1), target.transport);
      if (!read) return std::move(read.error()).during("'" + sanitized(text) + "'");
      target.parameters = *std::move(read);
    }
  }
  if (!take_address(address, row->form, target)) return expected(text, *row);
  if (auto fit = check_line(target); !fit)
    return std::move(fit.error()).during("'" + sanitized(text) + "'");
  return target;
}

std::string shown(const TargetUri& target) {
  TargetUri bare = target;
  bare.parameters.clear();
  return to_string(bare);
}

std::string to_string(const TargetUri& target) {
  for (const TransportRow& row : kTransports) {
    if (row.transport != target.transport) continue;
    const std::string start = std::string(row.name) + ":";
    switch (row.form) {
      case Form::kHostPort:
      case Form::kHost: return start + "//" + host_text(target) + to_string(target.parameters);
      case Form::kHostPortOrPath:
        return start + (target.path.empty() ? "//" + host_text(target) : target.path.string()) +
               to_string(target.parameters);
      case Form::kPath: return start + target.path.string() + to_string(target.parameters);
      case Form::kSerial: return start + target.serial + to_string(target.parameters);
    }
  }
  const std::string library = target.library.string();
  // The shorter text of a plug-in, unless it would be read as another engine's.
  if (target.kind == kind_of(EngineId::kPython).name && is_plugin_text(library) &&
      !find_kind(library.substr(0, library.find(':'))))
    return library;
  return target.kind + (library.empty() ? "" : ":" + library);
}

Result<EngineChoice> engine_choice_from_text(std::string_view text) {
  EP_TRY(auto target, target_from_text(text));
  if (target.transport != Transport::kNone)
    return Error{ErrorKind::kUsage, "engine '" + sanitized(text) +
                                        "' is an address, which goes to --target; expected " +
                                        "KIND or KIND:LIBRARY, with KIND one of " +
                                        listed(engine_names())};
  if (target.kind == kind_of(EngineId::kNative).name)
    return Error{ErrorKind::kUsage,
                 "engine '" + sanitized(text) +
                     "': the library of a plug-in is code, so only the command line names it, as "
                     "--plugin LIB.so, and --engine gives the engine's own name"};
  return EngineChoice{std::move(target.kind), std::move(target.library)};
}

Result<TargetUri> address_from_target_text(std::string_view text) {
  EP_TRY(auto target, target_from_text(text));
  if (target.transport == Transport::kNone)
    return Error{
        ErrorKind::kUsage,
        "target '" + sanitized(text) +
            "' is an engine of this machine, which goes to --engine; "
            "expected tcp://HOST:PORT, unix:/PATH, serial:/dev/NAME, ssh://HOST or adb:SERIAL"};
  if (target.transport == Transport::kTls)
    if (auto fit = check_tls(target.parameters); !fit)
      return std::move(fit.error()).during("target '" + sanitized(text) + "'");
  return target;
}

}  // namespace edgeprobe::engine
