// SPDX-License-Identifier: Apache-2.0
#include "diagnose/state/counters.h"

#include <gtest/gtest.h>

#include "support.h"

namespace edgeprobe::diagnose::state {
namespace {

using Steps = std::vector<std::size_t>;

// Positions as an app feeds them, for sequences of nine, seven and eight steps.
Series positions(const Recording& recording, double first, double by, bool set_back,
                 double offset) {
  Series values;
  double at = first;
  for (std::size_t step = 0; step < recording.steps(); ++step) {
    if (step > 0) at = set_back && recording.begins[step] ? first : at + by;
    values.emplace_back(Values{at + offset, at + offset + 1});
  }
  return values;
}

TEST(StateCounters, AreFoundAmongInputs) {
  const Recording recording = App{}.record();
  EXPECT_EQ(rate_of(recording, positions(recording, 0, 1, true, 0)), 1.0);
  EXPECT_EQ(rate_of(recording, positions(recording, 0, 160, false, 0)), 160.0);
  EXPECT_EQ(rate_of(recording, positions(recording, 0, 0, true, 0)), std::nullopt);
  EXPECT_EQ(rate_of(recording, positions(recording, 0, 0.5, true, 0)), std::nullopt);
  EXPECT_EQ(rate_of(recording, recording.states[0].fed), std::nullopt);
}

TEST(StateCounters, AreNamed) {
  const Recording recording = App{}.record();
  const Series meant = positions(recording, 0, 1, true, 0);
  const auto told = [&](const Series& fed) { return counter_finding(recording, fed, meant); };
  EXPECT_FALSE(told(meant).has_value());
  auto found = told(positions(recording, 0, 1, true, 1));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->fault, CounterFault::kOffset);
  EXPECT_EQ(found->offset, 1);
  EXPECT_EQ(found->steps.front(), 0U);
  found = told(positions(recording, 0, 0, true, 0));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->fault, CounterFault::kStuck);
  EXPECT_EQ(found->steps.front(), 1U);
  found = told(positions(recording, 0, 1, false, 0));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->fault, CounterFault::kNotSetBack);
  EXPECT_EQ(found->steps.front(), 9U);
  found = told(positions(recording, 0, 2, true, 0));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->fault, CounterFault::kRate);
  EXPECT_EQ(found->rate, 2);
  Series jumps = meant;
  (*jumps[7])[0] = 90;
  found = told(jumps);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->fault, CounterFault::kUnknown);
  EXPECT_EQ(found->steps, Steps{7});
}

}  // namespace
}  // namespace edgeprobe::diagnose::state
