// SPDX-License-Identifier: Apache-2.0
// Shares and rows by themselves; what splits compute is in tests/cli/stretch_split_test.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "stretch/split/split.h"
#include "stretch/split/window.h"

namespace edgeprobe::stretch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Matched channels(std::int64_t size, std::int64_t step = kStep) {
  Matched matched;
  matched.size = size;
  matched.step = step;
  return matched;
}

TEST(Parts, AreWholeStepsAsNearToTheSharesAsThatCanBe) {
  EXPECT_THAT(parts_of(channels(64), {1, 1}), ElementsAre(32, 32));
  EXPECT_THAT(parts_of(channels(64), {3, 1}), ElementsAre(48, 16));
  EXPECT_THAT(parts_of(channels(48), {1, 1}), ElementsAre(32, 16));
  EXPECT_THAT(parts_of(channels(40), {1, 1}),
              ElementsAre(16, 24));  // The last part need not be a multiple.
  EXPECT_THAT(parts_of(channels(96), {2, 1, 1}), ElementsAre(48, 32, 16));
  EXPECT_THAT(parts_of(channels(28, 1), {1, 1, 1}), ElementsAre(9, 10, 9));
  // No part is empty if there is a step for each.
  EXPECT_THAT(parts_of(channels(32), {100, 1}), ElementsAre(16, 16));
  EXPECT_THAT(parts_of(channels(48), {1, 1, 100}), ElementsAre(16, 16, 16));
  EXPECT_THAT(parts_of(channels(16), {1, 1}), IsEmpty());
  EXPECT_THAT(parts_of(channels(32), {1, 1, 1}), IsEmpty());
  EXPECT_THAT(parts_of(channels(64, 64), {1, 1}), IsEmpty());
}

TEST(Parts, FitTheModelWhateverTheShares) {
  for (std::int64_t size = 2; size < 200; ++size)
    for (const std::int64_t step : {1, 16, 24})
      for (const auto& shares : std::vector<std::vector<double>>{{1, 1}, {7, 1}, {1, 2, 5}}) {
        const Matched matched = channels(size, step);
        const std::vector<std::int64_t> parts = parts_of(matched, shares);
        const bool has_room = size > step * static_cast<std::int64_t>(shares.size() - 1);
        ASSERT_EQ(!parts.empty(), has_room) << size << " by " << step;
        if (parts.empty()) continue;
        EXPECT_TRUE(check_parts(matched, {Split::Kind::kPair, "a", "b", parts}));
      }
}

TEST(Parts, ThatDoNotFitAreToldApart) {
  const auto refused = [](std::vector<std::int64_t> parts) {
    const auto good = check_parts(channels(64), {Split::Kind::kPair, "a", "b", std::move(parts)});
    return good ? "" : good.error().what;
  };
  EXPECT_THAT(refused({32, 16}), HasSubstr("they add up to 48, the model has 64"));
  EXPECT_THAT(refused({20, 44}), HasSubstr("parts[1]: begins at 20"));
  EXPECT_THAT(refused({128, 16}), HasSubstr("parts[0]: 128; expected 1 to 64"));
}

/// Counts the rows one by one.
Rows counted(const Window& window, Rows rows, std::int64_t height) {
  Rows all{height, 0};
  for (std::int64_t row = rows.first; row < rows.end; ++row)
    for (std::int64_t k = 0; k < window.kernel; ++k) {
      const std::int64_t read = row * window.stride - window.above + k * window.dilation;
      all.first = std::min(all.first, std::clamp<std::int64_t>(read, 0, height));
      all.end = std::max(all.end, std::clamp<std::int64_t>(read + 1, 0, height));
    }
  return all;
}

TEST(Windows, NeedTheRowsThatTheyReadAndTheRestOfThePadding) {
  for (const std::int64_t kernel : {1, 2, 3, 7})
    for (const std::int64_t stride : {1, 2, 3})
      for (const std::int64_t dilation : {1, 2})
        for (const std::int64_t above : {0, 1, 3}) {
          constexpr std::int64_t kHeight = 23;
          Window window{kernel, stride, dilation, above, above, true, {0}};
          const std::int64_t reach = (kernel - 1) * dilation + 1;
          const std::int64_t made = (kHeight + 2 * above - reach) / stride + 1;
          for (const Rows rows : {Rows{0, made}, Rows{0, made / 2}, Rows{made / 2, made}}) {
            const Needed needed = needed_for(window, rows, kHeight);
            const Rows expected = counted(window, rows, kHeight);
            EXPECT_EQ(needed.rows.first, expected.first);
            EXPECT_EQ(needed.rows.end, expected.end);
            // The window makes the requested number of rows from them.
            const std::int64_t given =
                needed.rows.end - needed.rows.first + needed.above + needed.below;
            EXPECT_EQ((given - reach) / stride + 1, rows.end - rows.first);
          }
        }
}

}  // namespace
}  // namespace edgeprobe::stretch
