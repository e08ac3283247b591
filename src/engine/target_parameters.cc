// SPDX-License-Identifier: Apache-2.0
#include "engine/target_parameters.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/text.h"
#include "engine/kenning/manner.h"
#include "engine/kinds.h"
#include "transport/serial.h"

namespace edgeprobe::engine {
namespace {

struct Parameter {
  Transport transport;
  const char* key;
  const char* expected;
  bool (*takes)(std::string_view value);
};

bool is_file_name(std::string_view value) {
  return !value.empty() && std::none_of(value.begin(), value.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

bool is_generation(std::string_view value) { return kenning::manner_from_name(value).has_value(); }

bool is_rate(std::string_view value) {
  const std::vector<int>& rates = transport::serial_rates();
  return std::any_of(rates.begin(), rates.end(),
                     [&](int rate) { return value == std::to_string(rate); });
}

bool is_flow(std::string_view value) { return value == "none" || value == "rtscts"; }

constexpr const char* kFile = "a file in PEM";
constexpr const char* kRates = "a rate from 9600 to 4000000 such as 115200 or 921600";
constexpr const char* kFlows = "none or rtscts";
constexpr const char* kProgram = "the edgeprobe for that machine, a file";

constexpr std::array kParameters{
    Parameter{Transport::kTls, "cert", kFile, is_file_name},
    Parameter{Transport::kTls, "key", kFile, is_file_name},
    Parameter{Transport::kTls, "ca", kFile, is_file_name},
    Parameter{Transport::kKenning, "generation", "g1, g1-iospec, g2, g3, g3-late or g4",
              is_generation},
    Parameter{Transport::kKenning, "baud", kRates, is_rate},
    Parameter{Transport::kKenning, "flow", kFlows, is_flow},
    Parameter{Transport::kSerial, "baud", kRates, is_rate},
    Parameter{Transport::kSerial, "flow", kFlows, is_flow},
    Parameter{Transport::kSsh, "program", kProgram, is_file_name},
    Parameter{Transport::kAdb, "program", kProgram, is_file_name},
};

Error wrong(const std::string& what) { return {ErrorKind::kUsage, what}; }

}  // namespace

bool takes_parameters(Transport transport) {
  return std::any_of(kParameters.begin(), kParameters.end(),
                     [&](const Parameter& one) { return one.transport == transport; });
}

Result<Parameters> read_parameters(std::string_view query, Transport transport) {
  Parameters parameters;
  for (std::string_view rest = query;;) {
    const auto end = rest.find('&');
    const std::string_view one = rest.substr(0, end);
    const std::string key(one.substr(0, one.find('=')));
    const std::string_view value = key.size() < one.size() ? one.substr(key.size() + 1) : "";
    std::vector<std::string> known;
    const Parameter* parameter = nullptr;
    for (const Parameter& row : kParameters) {
      if (row.transport != transport) continue;
      known.emplace_back(row.key);
      if (key == row.key) parameter = &row;
    }
    if (!parameter) {
      const std::string near = key.empty() ? "" : closest_match(key, known);
      return wrong(
          "parameter '" + sanitized(key, 60) + "' is unknown" +
          (near.empty() ? "; known are " + listed(known) : "; did you mean '" + near + "'?"));
    }
    if (!parameter->takes(value))
      return wrong(key + " '" + sanitized(value, 60) + "': expected " + parameter->expected);
    if (!parameters.emplace(key, value).second) return wrong(key + " is given twice");
    if (end == std::string_view::npos) return parameters;
    rest = rest.substr(end + 1);
  }
}

std::string value_of(const Parameters& parameters, const char* key) {
  const auto found = parameters.find(key);
  return found == parameters.end() ? "" : found->second;
}

std::string to_string(const Parameters& parameters) {
  std::string text;
  for (const auto& [key, value] : parameters)
    text += (text.empty() ? "?" : "&") + key + "=" + value;
  return text;
}

}  // namespace edgeprobe::engine
