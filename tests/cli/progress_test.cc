// SPDX-License-Identifier: Apache-2.0
// What long work shows on a terminal.
#include "cli/terminal/progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <thread>

namespace edgeprobe::cli {
namespace {

void wait_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

TEST(Progress, SaysNoTimeBeforeItCanBeKnown) {
  std::ostringstream out, err;
  Terminal terminal{out, err, /*interactive=*/true};
  {
    Progress progress(terminal, "diagnose");
    wait_ms(110);
    progress.show(3, 3, "frames");
    progress.show(1, 40, "frames");  // the next phase
    wait_ms(110);
    progress.show(1, 40, "frames");
  }
  EXPECT_NE(err.str().find("1/40 frames"), std::string::npos) << err.str();
  EXPECT_EQ(err.str().find("left"), std::string::npos) << err.str();
}

TEST(Progress, EstimatesFromTheStepsOfThisPhase) {
  std::ostringstream out, err;
  Terminal terminal{out, err, /*interactive=*/true};
  {
    Progress progress(terminal, "diagnose");
    progress.show(5, 5, "frames");
    progress.show(1, 11, "frames");
    wait_ms(600);
    progress.show(3, 11, "frames");  // two steps in 0.6 s: eight more take 2.4 s
  }
  EXPECT_NE(err.str().find("3/11 frames, about 2 s left"), std::string::npos) << err.str();
}

TEST(Progress, ShowsTheAgeOfWorkWithoutSteps) {
  std::ostringstream out, err;
  Terminal terminal{out, err, /*interactive=*/true};
  {
    Progress progress(terminal, "diagnose");
    wait_ms(1700);
  }
  EXPECT_NE(err.str().find("diagnose: working for 1 s"), std::string::npos) << err.str();
  EXPECT_EQ(err.str().substr(err.str().size() - 4), "\r\x1b[K");
}

TEST(Progress, PrintsNoLineOfShortWorkIntoAPipe) {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  {
    Progress progress(terminal, "diagnose");
    progress.show(1, 2, "frames");
  }
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace edgeprobe::cli
