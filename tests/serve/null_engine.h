// SPDX-License-Identifier: Apache-2.0
// An engine that computes nothing, for tests of what stands around one.
#pragma once

#include <chrono>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace edgeprobe::serve {

/// The first byte of a sample that makes the null engine's inference fail, or take kNullPause.
inline constexpr std::byte kNullFailure{0xEE}, kNullSlow{0x55};
inline constexpr std::chrono::milliseconds kNullPause{20};

/// Its output is its first input, byte for byte.
class NullSession final : public engine::Session {
 public:
  NullSession(std::size_t inputs, std::int64_t width) {
    for (std::size_t i = 0; i < inputs; ++i)
      inputs_.push_back(
          {i == 0 ? "x" : "y", DType::kInt8, {1, width}, {.scale = {0.5}, .zero_point = {1}}});
    outputs_ = {inputs_[0]};
    memory_.resize(static_cast<std::size_t>(width));
  }
  const std::vector<TensorSpec>& inputs() const override { return inputs_; }
  const std::vector<TensorSpec>& outputs() const override { return outputs_; }
  const std::vector<engine::Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  std::byte* input_memory(std::size_t index) override {
    return index == 0 ? memory_.data() : nullptr;
  }
  Result<engine::Inference> infer(const std::vector<TensorView>& inputs) override {
    const Bytes first = inputs.at(0).bytes.copy();
    if (first.at(0) == kNullFailure)
      return Error{ErrorKind::kTarget, "the null engine was told to fail"};
    if (first[0] == kNullSlow) std::this_thread::sleep_for(kNullPause);
    engine::Inference inference;
    inference.outputs.push_back({outputs_[0], first});
    return inference;
  }
  Result<engine::Iterations> repeat(const std::vector<TensorView>&, const engine::RepeatOptions&,
                                    const Control&) override {
    engine::Iterations iterations;
    iterations.iterations.resize(1);
    return iterations;
  }
  engine::MemoryUse memory() override { return {}; }

 private:
  std::vector<TensorSpec> inputs_, outputs_;
  std::vector<engine::Delegation> delegations_;
  std::vector<std::string> warnings_;
  Bytes memory_;
};

/// Accepts every model. A sample has `width` bytes an input.
template <std::size_t inputs, std::int64_t width = 4>
class NullEngine final : public engine::Engine {
 public:
  static Result<std::unique_ptr<engine::Engine>> open(const engine::EngineChoice&) {
    return std::unique_ptr<engine::Engine>(std::make_unique<NullEngine>());
  }
  const engine::EngineIdentity& identity() const override { return identity_; }
  Result<std::unique_ptr<engine::Session>> load(ByteView, std::string_view,
                                                const engine::SessionOptions&) override {
    return std::unique_ptr<engine::Session>(std::make_unique<NullSession>(inputs, width));
  }

 private:
  engine::EngineIdentity identity_{"null", "0", "", "", {}};
};

}  // namespace edgeprobe::serve
