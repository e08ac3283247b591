// SPDX-License-Identifier: Apache-2.0
#include "pipeline/in_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

namespace edgeprobe::pipeline {
namespace {

using namespace std::chrono_literals;

/// A session of a model with one input of four numbers.
class Session final : public engine::Session {
 public:
  const std::vector<TensorSpec>& inputs() const override { return inputs_; }
  const std::vector<TensorSpec>& outputs() const override { return inputs_; }
  const std::vector<engine::Delegation>& delegations() const override { return none_; }
  const std::vector<std::string>& warnings() const override { return no_warnings_; }
  Result<engine::Inference> infer(const std::vector<TensorView>&) override {
    return Error{ErrorKind::kUnsupported, "nothing runs here"};
  }

 private:
  std::vector<TensorSpec> inputs_{{"x", DType::kFloat32, {1, 4}, {}}};
  std::vector<engine::Delegation> none_;
  std::vector<std::string> no_warnings_;
};

Pipeline pipeline_with(int threads) {
  Pipeline pipeline;
  pipeline.session = std::make_unique<Session>();
  pipeline.open_inputs = pipeline.session->inputs();
  pipeline.spec.session.threads = threads;
  return pipeline;
}

constexpr std::size_t kSamples = 60;

class InStepTest : public testing::Test {
 protected:
  InStepTest() {
    for (std::size_t i = 0; i < kSamples; ++i) {
      dataset::Sample sample{std::to_string(i), std::nullopt,
                             [this, i]() -> Result<dataset::Loaded> {
                               const int now = ++at_once_;
                               most_at_once_ = std::max<int>(most_at_once_, now);
                               ++reads_[i];
                               std::this_thread::sleep_for(100us);
                               --at_once_;
                               if (i == unreadable_)
                                 return Error{ErrorKind::kCorrupt, "this one is broken"};
                               dataset::Picture picture;
                               picture.image = {1, 1, 1, {std::uint8_t(i)}};
                               return dataset::Loaded{picture, "hash"};
                             }};
      sample.hash = [] { return Result<std::string>("hash"); };
      samples_.push_back(std::move(sample));
    }
  }

  /// One pass of a side over its samples; fails after `last`. Returns the samples that it began.
  std::vector<std::size_t> pass(InStep& both, InStep::Side side, std::size_t each,
                                std::size_t fails, bool& succeeded) {
    std::vector<std::size_t> begun;
    succeeded = false;
    for (std::size_t i = 0; i < kSamples; i += each) {
      if (!both.begin(side, i)) return begun;
      position_[side] = i;
      ahead_ = std::max<long>(ahead_, std::labs(long(position_[0]) - long(position_[1])));
      begun.push_back(i);
      const auto shared = both.sample(i);
      EXPECT_EQ(bool(shared->loaded), i != unreadable_);
      if (shared->loaded) {
        EXPECT_EQ(dataset::picture_of((*shared->loaded)->input)->image.pixels[0], i);
      }
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

  std::array<std::vector<std::size_t>, 2> run(InStep& both, std::size_t fails_first = kSamples,
                                              std::size_t fails_second = kSamples,
                                              std::size_t each_of_second = 1) {
    std::array<std::vector<std::size_t>, 2> begun;
    both.run(
        [&] {
          begun[0] = pass(both, InStep::kFirst, 1, fails_first, ok_[0]);
          return ok_[0];
        },
        [&] {
          begun[1] = pass(both, InStep::kSecond, each_of_second, fails_second, ok_[1]);
          return ok_[1];
        });
    return begun;
  }

  Pipeline first_ = pipeline_with(1), second_ = pipeline_with(1);
  std::vector<dataset::Sample> samples_;
  std::array<std::atomic<int>, kSamples> reads_{};
  std::size_t unreadable_ = kSamples;
  std::atomic<int> at_once_ = 0, most_at_once_ = 0, running_ = 0;
  std::atomic<bool> together_ = false;
  std::array<std::atomic<std::size_t>, 2> position_{};
  std::atomic<long> ahead_ = 0;
  std::array<bool, 2> ok_{};
};

TEST_F(InStepTest, EachSampleIsReadOnceAndNoneFarAhead) {
  unreadable_ = 9;
  InStep both(samples_, first_, second_, nullptr);

  const auto begun = run(both);

  for (const auto& samples : begun) EXPECT_EQ(samples.size(), kSamples);
  for (const auto& count : reads_) EXPECT_EQ(count, 1);
  EXPECT_LE(ahead_, long(InStep::kAhead));
  EXPECT_TRUE(ok_[0] && ok_[1]);
  EXPECT_EQ(both.failed(), std::nullopt);
}

TEST_F(InStepTest, AlikePreparationIsShared) {
  InStep both(samples_, first_, second_, nullptr);
  Pipeline other = pipeline_with(1);
  other.open_inputs[0].shape = {1, 5};
  InStep unlike(samples_, first_, other, nullptr);

  EXPECT_TRUE(both.sample(0)->prepared.has_value());
  EXPECT_FALSE(unlike.sample(0)->prepared.has_value());
}

TEST_F(InStepTest, ARunOfSomeSamplesWaitsForTheOther) {
  InStep both(samples_, first_, second_, nullptr);

  const auto begun = run(both, kSamples, kSamples, 13);

  EXPECT_EQ(begun[1], (std::vector<std::size_t>{0, 13, 26, 39, 52}));
  for (const auto& count : reads_) EXPECT_EQ(count, 1);
}

TEST_F(InStepTest, SamplesThatAreNotFilesAreReadOneAtATime) {
  samples_[3].hash = nullptr;
  InStep both(samples_, first_, second_, nullptr);

  run(both);

  EXPECT_EQ(most_at_once_, 1);
}

TEST_F(InStepTest, WithoutCpusForBothInferencesAreInTurn) {
  second_ = pipeline_with(100'000);
  InStep both(samples_, first_, second_, nullptr);

  run(both);

  EXPECT_FALSE(together_);
}

TEST_F(InStepTest, TheEarlierFailureCountsWhicheverRunIsFaster) {
  for (int repetition = 0; repetition < 20; ++repetition)
    for (const auto& [first, second, side] :
         {std::tuple{20u, 22u, InStep::kFirst}, std::tuple{22u, 20u, InStep::kSecond},
          std::tuple{21u, 21u, InStep::kFirst}, std::tuple{30u, unsigned(kSamples), InStep::kFirst},
          std::tuple{unsigned(kSamples), 0u, InStep::kSecond}}) {
      InStep both(samples_, first_, second_, nullptr);
      const auto begun = run(both, first, second);
      ASSERT_EQ(both.failed(), side) << first << " " << second;
      for (const auto& samples : begun)
        EXPECT_LE(samples.size(), std::min(first, second) + InStep::kAhead + 2);
    }
}

TEST_F(InStepTest, AFailureAfterThePassDoesNotStopTheFirst) {
  InStep both(samples_, first_, second_, nullptr);
  std::atomic<bool> stopped = false;
  both.run(
      [&] {
        both.pass_is_over(InStep::kFirst);
        std::this_thread::sleep_for(5ms);
        stopped = both.ended(InStep::kFirst).load();
        return true;
      },
      [&] {
        both.pass_is_over(InStep::kSecond);
        return false;
      });
  EXPECT_FALSE(stopped);
  EXPECT_EQ(both.failed(), InStep::kSecond);
}

TEST_F(InStepTest, TheUsersStopEndsBoth) {
  std::atomic<bool> stop = false;
  InStep both(samples_, first_, second_, &stop);
  std::thread user([&] {
    std::this_thread::sleep_for(2ms);
    stop = true;
  });
  bool unused = false;
  both.run(
      [&] {
        pass(both, InStep::kFirst, 1, kSamples, unused);
        while (!both.ended(InStep::kFirst)) std::this_thread::sleep_for(1ms);
        return false;
      },
      [&] {
        while (!both.ended(InStep::kSecond)) std::this_thread::sleep_for(1ms);
        return false;
      });
  user.join();
}

TEST_F(InStepTest, AnExceptionReachesTheCallerAndReleasesTheOther) {
  samples_[5].load = []() -> Result<dataset::Loaded> { throw std::bad_alloc(); };
  InStep both(samples_, first_, second_, nullptr);

  EXPECT_THROW(run(both), std::bad_alloc);
}

TEST_F(InStepTest, OnlyEqualThingsComputeAlike) {
  EXPECT_TRUE(prepare_alike(first_, second_));
  second_.made_input = 0;
  EXPECT_FALSE(prepare_alike(first_, second_));
}

}  // namespace
}  // namespace edgeprobe::pipeline
