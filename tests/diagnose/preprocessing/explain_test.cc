// SPDX-License-Identifier: Apache-2.0
// One frame, whole: what is equal is settled before any search; one fault on a small picture is
// found alone.
#include "diagnose/preprocessing/search/explain.h"

#include <gtest/gtest.h>

#include "support.h"

namespace edgeprobe::diagnose::testing {
namespace {

using Status = Explanation::Status;

const std::string kWanted = "resize(24x24, bilinear) | color(rgb) | scale(-1..1)";

struct Explained {
  Explanation explanation;
  std::vector<Part> parts;
};

Explained explained(const std::string& app) {
  const Reference r = reference(kWanted, floats(24));
  Recorded made = recorded(picture(48, 60), app, r);
  Explained found{explain(made.frame, r, known_ranges(r)), {}};
  for (const Difference& difference : found.explanation.differences)
    found.parts.push_back(difference.part);
  return found;
}

TEST(Explain, OneFaultIsFoundAlone) {
  for (const auto& [app, part] :
       {std::pair("resize(24x24, bilinear) | color(bgr) | scale(-1..1)", Part::kMixing),
        std::pair("resize(24x24, bilinear) | color(rgb) | scale(0..1)", Part::kRange),
        std::pair("resize(24x24, nearest) | color(rgb) | scale(-1..1)", Part::kResampling),
        std::pair("crop(square) | resize(24x24, bilinear) | color(rgb) | scale(-1..1)",
                  Part::kFraming),
        std::pair("flip(horizontal) | resize(24x24, bilinear) | color(rgb) | scale(-1..1)",
                  Part::kOrientation)}) {
    const Explained found = explained(app);
    EXPECT_EQ(found.explanation.status, Status::kFound) << app;
    EXPECT_LT(found.explanation.residual, kExact) << app;
    EXPECT_GT(found.explanation.residual_before, kDecoder) << app;
    EXPECT_EQ(found.parts, std::vector<Part>{part}) << app;
  }
}

TEST(Explain, TwoFaultsAreTwoDifferences) {
  const Explained found = explained("resize(24x24, bilinear) | color(bgr) | scale(0..1)");
  EXPECT_EQ(found.explanation.status, Status::kFound);
  ASSERT_EQ(found.parts.size(), 2u);
  EXPECT_GE(found.explanation.differences[0].contribution,
            found.explanation.differences[1].contribution);
}

TEST(Equality, IsSettledBeforeAnySearch) {
  const Reference r = reference(kWanted, floats(24));
  Recorded made = recorded(picture(48, 60), kWanted, r);
  EXPECT_EQ(distance_from_reference(made.frame, r), 0);
  const auto early = settle_early(made.frame, r, known_ranges(r));
  ASSERT_TRUE(early);
  EXPECT_EQ(early->status, Status::kEqual);
}

TEST(Equality, ATensorOfOneValueIsUndecidable) {
  const Reference r = reference(kWanted, floats(24));
  Recorded made = recorded(picture(48, 60), kWanted, r);
  std::fill(made.frame.stored.begin(), made.frame.stored.end(), 0.25f);
  const auto early = settle_early(made.frame, r, known_ranges(r));
  ASSERT_TRUE(early);
  EXPECT_NE(early->status, Status::kEqual);
  EXPECT_NE(early->status, Status::kFound);
}

TEST(Equality, AnotherOrderOfChannelsNeedsASearch) {
  const Reference r = reference(kWanted, floats(24));
  Recorded made =
      recorded(picture(48, 60), "resize(24x24, bilinear) | color(bgr) | scale(-1..1)", r);
  EXPECT_GT(distance_from_reference(made.frame, r), 5);
  EXPECT_FALSE(settle_early(made.frame, r, known_ranges(r)));
}

}  // namespace
}  // namespace edgeprobe::diagnose::testing
