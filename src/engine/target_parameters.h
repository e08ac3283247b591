// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/result.h"

namespace edgeprobe::engine {

/// The way to an engine.
enum class Transport {
  kNone,     ///< It is opened on this machine.
  kTcp,      ///< tcp://HOST:PORT
  kTls,      ///< tls://HOST:PORT?ca=FILE
  kKenning,  ///< kenning://HOST:PORT?generation=g2 or kenning:/PATH of a serial device
  kSsh,      ///< ssh://[USER@]HOST[:PORT]
  kUnix,     ///< unix:/PATH of a socket
  kSerial,   ///< serial:/PATH of a device
  kAdb,      ///< adb:SERIAL number of an Android device
};

/// What follows the '?' of an address, "cert=host.pem&ca=ca.pem", "program=build/edgeprobe".
using Parameters = std::map<std::string, std::string>;

bool takes_parameters(Transport transport);
/// kUsage for a key that this transport does not have (the nearest is named), one given twice, and
/// for a value that it does not take.
Result<Parameters> read_parameters(std::string_view query, Transport transport);
/// With the '?'; "" without any.
std::string to_string(const Parameters& parameters);
/// "" where it was not given.
std::string value_of(const Parameters& parameters, const char* key);

}  // namespace edgeprobe::engine
