// SPDX-License-Identifier: Apache-2.0
#include "transport/address.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace edgeprobe::transport {
namespace {

TEST(Address, ReadsBackAsItWasWritten) {
  for (const char* text : {"127.0.0.1:12345", "[::1]:80", "board.local:65535", "localhost:0",
                           "unix:/run/edgeprobe.sock"}) {
    const auto address = address_from_text(text);
    ASSERT_TRUE(address) << address.error().what;
    EXPECT_EQ(to_string(*address), text);
  }
}

TEST(Address, RefusesWhatIsNone) {
  const std::string longest = "unix:/" + std::string(200, 'x');
  for (const std::string& text : std::vector<std::string>{
           "", "12345", ":12345", "host", "host:", "host:65536", "host:-1", "host:12a", "::1:80",
           "[::1:80", "::1]:80", "ho st:1", "host/x:1", "unix:", "unix:run/x", longest}) {
    const auto address = address_from_text(text);
    EXPECT_FALSE(address) << text;
    EXPECT_EQ(address.has_value() ? ErrorKind::kLimit : address.error().kind, ErrorKind::kUsage);
  }
}

TEST(Address, KnowsWhatOtherMachinesReach) {
  const auto loopback = [](const char* text) {
    return is_loopback(address_from_text(text).value());
  };
  EXPECT_TRUE(loopback("127.0.0.1:1"));
  EXPECT_TRUE(loopback("127.9.9.9:1"));
  EXPECT_TRUE(loopback("[::1]:1"));
  EXPECT_TRUE(loopback("localhost:1"));
  EXPECT_TRUE(loopback("unix:/x"));
  EXPECT_FALSE(loopback("0.0.0.0:1"));
  EXPECT_FALSE(loopback("[::]:1"));
  EXPECT_FALSE(loopback("192.168.1.2:1"));
  EXPECT_FALSE(loopback("board.local:1"));
  // Names may resolve to any address.
  EXPECT_FALSE(loopback("localhost.example:1"));
}

}  // namespace
}  // namespace edgeprobe::transport
