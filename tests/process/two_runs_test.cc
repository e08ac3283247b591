// SPDX-License-Identifier: Apache-2.0
#include "process/two_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>
#include <tuple>
#include <vector>

namespace edgeprobe::process {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kSamples = 60;

/// Samples that hold their own number, and take a while to read.
class Numbers final : public TwoRuns {
 public:
  explicit Numbers(bool has_cpus_for_both = true, const std::atomic<bool>* stop = nullptr)
      : TwoRuns(kSamples, has_cpus_for_both, stop) {}

  std::size_t number(std::size_t sample) {
    return *std::static_pointer_cast<const std::size_t>(content(sample));
  }
  std::array<std::atomic<int>, kSamples> reads{};
  std::size_t unreadable = kSamples;

 private:
  std::shared_ptr<const void> read(std::size_t sample) override {
    ++reads[sample];
    std::this_thread::sleep_for(100us);
    if (sample == unreadable) throw std::bad_alloc();
    return std::make_shared<const std::size_t>(sample);
  }
};

class TwoRunsTest : public ::testing::Test {
 protected:
  /// One pass of a side over every `each`-th sample; fails after `fails`. Returns the samples that
  /// it began.
  std::vector<std::size_t> pass(Numbers& both, TwoRuns::Side side, std::size_t each,
                                std::size_t fails, bool& succeeded) {
    std::vector<std::size_t> begun;
    succeeded = false;
    for (std::size_t i = 0; i < kSamples; i += each) {
      if (!both.begin(side, i)) return begun;
      position_[side] = i;
      ahead_ = std::max<long>(ahead_, std::labs(long(position_[0]) - long(position_[1])));
      begun.push_back(i);
      EXPECT_EQ(both.number(i), i);
      {
        const auto turn = both.turn();
        running_ += 1;
        together_ = together_ || running_ > 1;
        std::this_thread::sleep_for((i * 7 + side * 3) % 5 * 50us);
        running_ -= 1;
      }
      if (i == fails) return begun;
    }
    both.pass_is_over(side);
    succeeded = true;
    return begun;
  }

  std::array<std::vector<std::size_t>, 2> run(Numbers& both, std::size_t fails_first = kSamples,
                                              std::size_t fails_second = kSamples,
                                              std::size_t each_of_second = 1) {
    std::array<std::vector<std::size_t>, 2> begun;
    both.run(
        [&] {
          begun[0] = pass(both, TwoRuns::kFirst, 1, fails_first, ok_[0]);
          return ok_[0];
        },
        [&] {
          begun[1] = pass(both, TwoRuns::kSecond, each_of_second, fails_second, ok_[1]);
          return ok_[1];
        });
    return begun;
  }

  std::atomic<int> running_ = 0;
  std::atomic<bool> together_ = false;
  std::array<std::atomic<std::size_t>, 2> position_{};
  std::atomic<long> ahead_ = 0;
  std::array<bool, 2> ok_{};
};

TEST_F(TwoRunsTest, EachSampleIsReadOnceAndNoneFarAhead) {
  Numbers both;

  const auto begun = run(both);

  for (const auto& samples : begun) EXPECT_EQ(samples.size(), kSamples);
  for (const auto& count : both.reads) EXPECT_EQ(count, 1);
  EXPECT_LE(ahead_, long(TwoRuns::kAhead));
  EXPECT_TRUE(ok_[0] && ok_[1]);
  EXPECT_EQ(both.failed(), std::nullopt);
}

TEST_F(TwoRunsTest, ARunOfSomeSamplesWaitsForTheOther) {
  Numbers both;

  const auto begun = run(both, kSamples, kSamples, 13);

  EXPECT_EQ(begun[1], (std::vector<std::size_t>{0, 13, 26, 39, 52}));
  for (const auto& count : both.reads) EXPECT_EQ(count, 1);
}

TEST_F(TwoRunsTest, WithoutCpusForBothInferencesAreInTurn) {
  Numbers both(false);

  run(both);

  EXPECT_FALSE(together_);
}

TEST_F(TwoRunsTest, TheEarlierFailureCountsWhicheverRunIsFaster) {
  for (int repetition = 0; repetition < 20; ++repetition)
    for (const auto& [first, second, side] :
         {std::tuple{20u, 22u, TwoRuns::kFirst}, std::tuple{22u, 20u, TwoRuns::kSecond},
          std::tuple{21u, 21u, TwoRuns::kFirst},
          std::tuple{30u, unsigned(kSamples), TwoRuns::kFirst},
          std::tuple{unsigned(kSamples), 0u, TwoRuns::kSecond}}) {
      Numbers both;
      const auto begun = run(both, first, second);
      ASSERT_EQ(both.failed(), side) << first << " " << second;
      for (const auto& samples : begun)
        EXPECT_LE(samples.size(), std::min(first, second) + TwoRuns::kAhead + 2);
    }
}

TEST_F(TwoRunsTest, AFailureAfterThePassDoesNotStopTheFirst) {
  Numbers both;
  std::atomic<bool> stopped = false;
  both.run(
      [&] {
        both.pass_is_over(TwoRuns::kFirst);
        std::this_thread::sleep_for(5ms);
        stopped = both.ended(TwoRuns::kFirst).load();
        return true;
      },
      [&] {
        both.pass_is_over(TwoRuns::kSecond);
        return false;
      });
  EXPECT_FALSE(stopped);
  EXPECT_EQ(both.failed(), TwoRuns::kSecond);
}

TEST_F(TwoRunsTest, TheUsersStopEndsBoth) {
  std::atomic<bool> stop = false;
  Numbers both(true, &stop);
  std::thread user([&] {
    std::this_thread::sleep_for(2ms);
    stop = true;
  });
  bool unused = false;
  both.run(
      [&] {
        pass(both, TwoRuns::kFirst, 1, kSamples, unused);
        while (!both.ended(TwoRuns::kFirst)) std::this_thread::sleep_for(1ms);
        return false;
      },
      [&] {
        while (!both.ended(TwoRuns::kSecond)) std::this_thread::sleep_for(1ms);
        return false;
      });
  user.join();
}

TEST_F(TwoRunsTest, AnExceptionReachesTheCallerAndReleasesTheOther) {
  Numbers both;
  both.unreadable = 5;

  EXPECT_THROW(run(both), std::bad_alloc);
}

}  // namespace
}  // namespace edgeprobe::process
