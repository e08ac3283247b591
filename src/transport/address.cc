// SPDX-License-Identifier: Apache-2.0
#include "transport/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <charconv>

#include "core/text.h"

namespace edgeprobe::transport {
namespace {

constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;

Error expected(std::string_view text) {
  return {ErrorKind::kUsage, "address '" + sanitized(text) +
                                 "': expected HOST:PORT such as 127.0.0.1:12345, [IPV6]:PORT, or "
                                 "unix:/PATH"};
}

}  // namespace

Result<Address> address_from_text(std::string_view text) {
  Address address;
  if (text.starts_with("unix:")) {
    address.path = std::string(text.substr(5));
    if (!address.path.is_absolute() || text.find('\0') != std::string_view::npos)
      return expected(text);
    if (address.path.native().size() > kLongestPath)
      return Error{ErrorKind::kUsage, "address '" + sanitized(text) +
                                          "': a Unix socket's path has " + "at most " +
                                          std::to_string(kLongestPath) + " bytes"};
    return address;
  }
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return expected(text);
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (host.starts_with('[') != host.ends_with(']')) return expected(text);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string_view::npos) return expected(text);
  for (const char c : host)
    if (static_cast<unsigned char>(c) <= ' ' || c == '/' || c == 127) return expected(text);
  const auto [end, problem] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (host.empty() || port.empty() || problem != std::errc() || end != port.data() + port.size())
    return expected(text);
  address.host = host;
  return address;
}

std::string to_string(const Address& address) {
  if (!address.path.empty()) return "unix:" + address.path.string();
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

bool is_loopback(const Address& address) {
  if (!address.path.empty() || address.host == "localhost") return true;
  in_addr four{};
  if (::inet_pton(AF_INET, address.host.c_str(), &four) == 1)
    return ntohl(four.s_addr) >> 24U == 127;
  in6_addr six{};
  return ::inet_pton(AF_INET6, address.host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

}  // namespace edgeprobe::transport
