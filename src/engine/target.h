// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "engine/engine.h"
#include "engine/target_parameters.h"

namespace edgeprobe::engine {

/// Value of --engine: an engine of this machine, or the address of another one. The first word
/// decides; no engine shares a transport's name.
struct TargetUri {
  Transport transport = Transport::kNone;
  std::string kind;               ///< A name of engine/kinds.h; "" with a transport.
  std::filesystem::path library;  ///< Library of `kind`; empty: its default.
  std::string user;               ///< User name for ssh; "" if not given.
  std::string host;               ///< A name, IPv4, or IPv6 without its brackets.
  std::optional<std::uint16_t> port;
  std::filesystem::path path;  ///< Absolute path for unix, serial and kenning.
  std::string serial;          ///< For adb.
  Parameters parameters = {};  ///< After a '?'; for tls, kenning, serial, ssh and adb.

  bool operator==(const TargetUri&) const = default;
};

/// "tcp", "unix"; "" for kNone.
const char* name(Transport transport);

/// True if this program copies the server to the other machine and starts it there.
bool starts_server(Transport transport);

/// kUsage names the error and the expected form.
Result<TargetUri> target_from_text(std::string_view text);
/// The shortest text that parses to this target.
std::string to_string(const TargetUri& target);
/// The same without parameters, for messages.
std::string shown(const TargetUri& target);

/// The engine of a target on this machine; kUsage for one with a transport.
Result<EngineChoice> engine_choice_from_text(std::string_view text);
/// The address of another machine; kUsage for an engine on this one.
Result<TargetUri> address_from_target_text(std::string_view text);

}  // namespace edgeprobe::engine
