// SPDX-License-Identifier: Apache-2.0
// When a trace was recorded, as the first lines of a verdict say it.
#include "cli/tables/recorded.h"

#include <gtest/gtest.h>

namespace edgeprobe::cli {
namespace {

// 2026-11-29 12:17:05 UTC; `date -u -d '2026-11-29 12:17:05' +%s`.
constexpr std::uint64_t kNow = 1'795'954'625'000'000'000;

TEST(Recorded, SaysTheTimeAndTheAgeInOneUnit) {
  const auto text = [](const char* started) { return recorded_text(started, kNow); };
  EXPECT_EQ(text("2026-11-29T12:17:05Z"), "2026-11-29 12:17 UTC, 0 seconds ago");
  EXPECT_EQ(text("2026-11-29T12:17:04Z"), "2026-11-29 12:17 UTC, 1 second ago");
  EXPECT_EQ(text("2026-11-29T12:14:05Z"), "2026-11-29 12:14 UTC, 3 minutes ago");
  EXPECT_EQ(text("2026-11-29T10:47:05Z"), "2026-11-29 10:47 UTC, 90 minutes ago");
  EXPECT_EQ(text("2026-11-28T12:17:05Z"), "2026-11-28 12:17 UTC, 24 hours ago");
  EXPECT_EQ(text("2025-11-29T12:17:05Z"), "2025-11-29 12:17 UTC, 365 days ago");
}

TEST(Recorded, GivesNoAgeOfATimeThatIsYetToCome) {
  EXPECT_EQ(recorded_text("2031-01-01T00:00:00Z", kNow), "2031-01-01 00:00 UTC");
}

TEST(Recorded, SaysNothingOfATextThatIsNoTime) {
  EXPECT_EQ(recorded_text("", kNow), "");
  EXPECT_EQ(recorded_text("yesterday", kNow), "");
  EXPECT_EQ(recorded_text("2026-11-29", kNow), "");
}

}  // namespace
}  // namespace edgeprobe::cli
