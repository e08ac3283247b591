// SPDX-License-Identifier: Apache-2.0
#include "serve/quantize.h"

#include <gtest/gtest.h>

#include <cmath>

namespace edgeprobe::serve {
namespace {

TEST(Quantize, RoundsAndSaturates) {
  const Tensor values = make_tensor("x", {7}, {0.f, .5f, -.26f, .25f, 100.f, -100.f, NAN});
  TensorSpec spec{"x", DType::kInt8, {7}, {{.5f}, {-3}, 0}};
  std::int8_t codes[7] = {};
  ASSERT_TRUE(quantize(values.bytes, spec, reinterpret_cast<std::byte*>(codes)));
  // .25 / .5 is a half: to even.
  const std::int8_t expected[7] = {-3, -2, -4, -3, 127, -128, -3};
  EXPECT_TRUE(std::equal(codes, codes + 7, expected));
}

TEST(Quantize, RefusesWhatHasNoScale) {
  const Tensor values = make_tensor("x", {1}, {1.f});
  std::byte code{};
  EXPECT_FALSE(quantize(values.bytes, {"x", DType::kInt8, {1}, {}}, &code));
  EXPECT_FALSE(quantize(values.bytes, {"x", DType::kInt8, {1}, {{0.f}, {0}, 0}}, &code));
  EXPECT_EQ(quantize(values.bytes, {"x", DType::kInt64, {1}, {{1.f}, {0}, 0}}, &code).error().kind,
            ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace edgeprobe::serve
