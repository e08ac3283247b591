// SPDX-License-Identifier: Apache-2.0
#include "core/real_number.h"

#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace edgeprobe {
namespace {

TEST(RealNumber, BothWaysReadTheSame) {
  for (const char* text : {"",
                           " 1",
                           "1 ",
                           "+1",
                           "0x10",
                           "1,5",
                           "1e",
                           "e5",
                           ".",
                           "-",
                           "1.2.3",
                           "1e400",
                           "0",
                           "-0",
                           "1",
                           "-1.5",
                           "1e3",
                           "1E-3",
                           ".5",
                           "5.",
                           "0.0039215689",
                           "3.4028235e38",
                           "1.1754944e-38"}) {
    const auto one = float_of(text), other = float_by_stream(text);
    EXPECT_EQ(one, other) << text;
  }
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    const float value = std::ldexp(float(random()) / 4e9F - 0.5F, int(random() % 200) - 100);
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", double(value));
    EXPECT_EQ(float_of(text), value) << text;
    EXPECT_EQ(float_by_stream(text), value) << text;
  }
}

}  // namespace
}  // namespace edgeprobe
