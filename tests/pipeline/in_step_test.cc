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

  bool pass(InStep& both, InStep::Side side) {
    for (std::size_t i = 0; i < kSamples; ++i) {
      if (!both.begin(side, i)) return false;
      const auto shared = both.sample(i);
      EXPECT_EQ(bool(shared->loaded), i != unreadable_);
      if (shared->loaded) {
        EXPECT_EQ(dataset::picture_of((*shared->loaded)->input)->image.pixels[0], i);
      }
      const auto turn = both.turn();
      running_ += 1;
      together_ = together_ || running_ > 1;
      std::this_thread::sleep_for((i * 7 + side * 3) % 5 * 50us);
      running_ -= 1;
    }
    both.pass_is_over(side);
    return true;
  }

  void run(InStep& both) {
    both.run([&] { return pass(both, InStep::kFirst); },
             [&] { return pass(both, InStep::kSecond); });
  }

  Pipeline first_ = pipeline_with(1), second_ = pipeline_with(1);
  std::vector<dataset::Sample> samples_;
  std::array<std::atomic<int>, kSamples> reads_{};
  std::size_t unreadable_ = kSamples;
  std::atomic<int> at_once_ = 0, most_at_once_ = 0, running_ = 0;
  std::atomic<bool> together_ = false;
};

TEST_F(InStepTest, EachSampleIsReadOnce) {
  unreadable_ = 9;
  InStep both(samples_, first_, second_, nullptr);

  run(both);

  for (const auto& count : reads_) EXPECT_EQ(count, 1);
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

TEST_F(InStepTest, OnlyEqualThingsComputeAlike) {
  EXPECT_TRUE(prepare_alike(first_, second_));
  second_.made_input = 0;
  EXPECT_FALSE(prepare_alike(first_, second_));
}

}  // namespace
}  // namespace edgeprobe::pipeline
