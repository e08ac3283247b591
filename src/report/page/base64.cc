// SPDX-License-Identifier: Apache-2.0
#include "report/page/base64.h"

#include <cstdint>

namespace edgeprobe::report {

std::string base64(ByteView bytes) {
  constexpr const char* kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size; i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group =
          group << 8 | (i + k < bytes.size ? std::to_integer<std::uint32_t>(bytes.data[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace edgeprobe::report
