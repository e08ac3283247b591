// SPDX-License-Identifier: Apache-2.0
// What counts as the same outputs: rounding in another order, or no more than the engine's own
// noise where an output is near zero.
#include "placement/search/exactness.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>

namespace edgeprobe::placement {
namespace {

/// A session that returns given values, whatever its input.
class Fixed : public engine::Session {
 public:
  explicit Fixed(std::vector<std::vector<float>> outputs) : values_(std::move(outputs)) {}

  const std::vector<TensorSpec>& inputs() const override { return inputs_; }
  const std::vector<TensorSpec>& outputs() const override { return inputs_; }
  const std::vector<engine::Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  Result<engine::Inference> infer(const std::vector<TensorView>&) override {
    engine::Inference inference;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      Tensor tensor{{"out" + std::to_string(i),
                     DType::kFloat32,
                     {static_cast<std::int64_t>(values_[i].size())},
                     {}},
                    Bytes(values_[i].size() * sizeof(float))};
      std::memcpy(tensor.bytes.data(), values_[i].data(), tensor.bytes.size());
      inference.outputs.push_back(std::move(tensor));
    }
    return inference;
  }
  Result<engine::Iterations> repeat(const std::vector<TensorView>&, const engine::RepeatOptions&,
                                    const Control&) override {
    return Error{ErrorKind::kTarget, "only infer() is made up"};
  }

 private:
  std::vector<std::vector<float>> values_;
  std::vector<TensorSpec> inputs_{{"x", DType::kFloat32, {1}, {}}};
  std::vector<engine::Delegation> delegations_;
  std::vector<std::string> warnings_;
};

/// The difference of these outputs from the reference's, with the noise between it and `again`.
Difference compared(const std::vector<std::vector<float>>& mine,
                    const std::vector<std::vector<float>>& reference,
                    const std::vector<std::vector<float>>& again) {
  Fixed a(mine), b(reference), c(again);
  const auto inputs = random_lists(b, {}, 3);
  EXPECT_TRUE(inputs);
  const auto noise = own_noise(b, c, *inputs, {});
  EXPECT_TRUE(noise);
  const auto found = difference(a, b, *inputs, {}, *noise);
  EXPECT_TRUE(found);
  EXPECT_EQ(found->inputs, 3u);
  return *found;
}

using Values = std::vector<std::vector<float>>;
/// Scores, and a sigmoid far from its bend: as large as 6.6e-6, with a noise of 1.5e-7.
const Values kReference{{0.2f, 1.f, 0.5f}, {6.6e-6f, 1e-6f, 2e-6f}},
    kAgain{{0.2f, 1.f, 0.5f}, {6.6e-6f, 1e-6f, 2.15e-6f}};

TEST(Difference, OutputsNearZeroMayDifferByTheNoiseOfTheEngine) {
  const Values split{{0.2f, 1.f, 0.5f}, {6.8e-6f, 1e-6f, 2e-6f}};
  const Difference found = compared(split, kReference, kAgain);
  EXPECT_TRUE(is_same(found));
  EXPECT_NEAR(found.relative, 0.2 / 6.6, 1e-4);  // Still told.
  EXPECT_NEAR(found.own, 0.15 / 6.6, 1e-4);
  EXPECT_NEAR(found.excess, 0.2 / (4 * 0.15), 1e-3);
  // An engine without noise there is held to the usual bound.
  EXPECT_FALSE(is_same(compared(split, kReference, kReference)));
}

TEST(Difference, AWrongOutputIsNotNoise) {
  EXPECT_FALSE(is_same(compared({{0.2f, 1.f, 0.5f}, {8e-6f, 1e-6f, 2e-6f}}, kReference, kAgain)));
  // The noise of one output excuses no other.
  const Difference wrong =
      compared({{0.2f, 1.001f, 0.5f}, {6.6e-6f, 1e-6f, 2e-6f}}, kReference, kAgain);
  EXPECT_FALSE(is_same(wrong));
  EXPECT_EQ(wrong.worst, "out0");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(is_same(compared({{0.2f, nan, 0.5f}, {6.6e-6f, 1e-6f, 2e-6f}}, kReference, kAgain)));
  EXPECT_FALSE(is_same(compared({{0.2f, nan, 0.5f}, {6.6e-6f, 1e-6f, 2e-6f}}, kReference,
                                {{0.2f, nan, 0.5f}, {6.6e-6f, 1e-6f, 2e-6f}})));
}

TEST(Difference, TheLargestElementMayChangeWithinTheNoise) {
  const Values close{{1e-6f, 1.1e-6f}};
  EXPECT_EQ(compared({{1.11e-6f, 1.1e-6f}}, close, {{1e-6f, 1.15e-6f}}).other_answer, 0u);
  EXPECT_EQ(compared({{1.11e-6f, 1.1e-6f}}, close, close).other_answer, 3u);
}

}  // namespace
}  // namespace edgeprobe::placement
