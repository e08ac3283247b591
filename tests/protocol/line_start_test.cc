// SPDX-License-Identifier: Apache-2.0
// Where a client on a serial line begins.
#include "protocol/line_start.h"

#include <gtest/gtest.h>

#include "bytes.h"

namespace edgeprobe::protocol::testing {
namespace {

/// "7 g4": the number of noise bytes, and the generation of the client after them.
std::string found(const char* hex, std::optional<Generation> only = std::nullopt) {
  const Bytes bytes = from_hex(hex);
  const LineStart start = find_line_start(bytes, only);
  return std::to_string(start.noise) +
         (start.generation ? std::string(" ") + name(*start.generation) : "");
}

TEST(LineStart, IsThePingOrTheFirstRequestOfAClient) {
  EXPECT_EQ(found("007a310000000000"), "0 g3");
  EXPECT_EQ(found("00000000007a310000000000"), "0 g4");
  EXPECT_EQ(found("000000000079320000000000"), "0 g4");
  EXPECT_EQ(found("a20000000700"), "0 g2");
  EXPECT_EQ(found("4550524200"), "0 g4");
}

TEST(LineStart, WaitsForBytesThatDecide) {
  EXPECT_EQ(found(""), "0");
  EXPECT_EQ(found("00"), "0");
  EXPECT_EQ(found("007a3100000000"), "0");
  EXPECT_EQ(found("00000000007a3100000000"), "0");
  EXPECT_EQ(found("a2000000"), "0");
}

TEST(LineStart, PassesOverNoise) {
  EXPECT_EQ(found("ff01"), "2");
  EXPECT_EQ(found("ff0100000000007a310000000000"), "2 g4");
  EXPECT_EQ(found("000000a20000000700"), "3 g2");
  // The rest of a model, and then a client that requests again.
  EXPECT_EQ(found("007a3100007a310000000000007a310000000000"), "4 g3");
}

TEST(LineStart, IsOfOneGenerationWhereTheOperatorSaysSo) {
  // The zeros at its end may begin a PING of g4.
  EXPECT_EQ(found("007a310000000000", Generation::kG4), "3");
  EXPECT_EQ(found("007a310000000000", Generation::kG3Late), "0 g3");
  EXPECT_EQ(found("a20000000700007a310000000000", Generation::kG3), "6 g3");
}

}  // namespace
}  // namespace edgeprobe::protocol::testing
