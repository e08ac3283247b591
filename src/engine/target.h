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

/// What --engine names: an engine of this machine, or the address of another one. The first word
/// decides; no engine is called as a transport is.
struct TargetUri {
  Transport transport = Transport::kNone;
  std::string kind;               ///< A name of engine/kinds.h; "" with a transport.
  std::filesystem::path library;  ///< Of `kind`; empty: its default.
  std::string user;               ///< Of ssh; "": none was named.
  std::string host;               ///< A name, IPv4, or IPv6 without its brackets.
  std::optional<std::uint16_t> port;
  std::filesystem::path path;  ///< Of unix, serial and kenning, absolute.
  std::string serial;          ///< Of adb.
  Parameters parameters = {};  ///< Behind a '?'; of tls, kenning, serial, ssh and adb.

  bool operator==(const TargetUri&) const = default;
};

/// "tcp", "unix"; "" for kNone.
const char* name(Transport transport);

/// Whether the server there is one that this program puts there and starts.
bool starts_server(Transport transport);

/// kUsage names what is wrong and what is expected.
Result<TargetUri> target_from_text(std::string_view text);
/// The text that gives this target again; of the texts that do, the shortest.
std::string to_string(const TargetUri& target);
/// The same without parameters, for messages.
std::string shown(const TargetUri& target);

/// The engine that a target of this machine means; kUsage for one with a transport.
Result<EngineChoice> engine_choice_from_text(std::string_view text);
/// The address of another machine; kUsage for an engine of this one.
Result<TargetUri> address_from_target_text(std::string_view text);

}  // namespace edgeprobe::engine
