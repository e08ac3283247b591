// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/result.h"

namespace edgeprobe::engine {

/// How an engine is reached.
enum class Transport {
  kNone,     ///< Opened on this machine.
  kTcp,      ///< tcp://HOST:PORT
  kTls,      ///< tls://HOST:PORT?ca=FILE
  kKenning,  ///< kenning://HOST:PORT?generation=g2 or kenning:/PATH of a serial device
  kSsh,      ///< ssh://[USER@]HOST[:PORT]
  kUnix,     ///< unix:/PATH of a socket
  kSerial,   ///< serial:/PATH of a device
  kAdb,      ///< adb:SERIAL number of an Android device
};

/// The part after the '?' of an address, "cert=host.pem&ca=ca.pem", "program=build/edgeprobe".
using Parameters = std::map<std::string, std::string>;

bool takes_parameters(Transport transport);
/// kUsage for a key that this transport does not have (names the most similar one), a repeated key,
/// and an invalid value.
Result<Parameters> read_parameters(std::string_view query, Transport transport);
/// Including the '?'; "" without parameters.
std::string to_string(const Parameters& parameters);
/// "" if not given.
std::string value_of(const Parameters& parameters, const char* key);

}  // namespace edgeprobe::engine
