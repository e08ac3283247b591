// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/control.h"
#include "core/result.h"

namespace edgeprobe::pipeline {

/// A user's function that judges the frames of a trace.
struct AssertionSpec {
  std::filesystem::path file;
  std::string function;
  std::filesystem::path trace;
  std::string interpreter;                  ///< Empty: process::python_interpreter().
  std::chrono::milliseconds limit{60'000};  ///< For importing the file, and for each frame.
};

/// The function's answer for one frame; the texts are sanitized.
struct Judgement {
  enum class State : std::uint8_t { kHolds, kFails, kError };
  std::uint32_t frame = 0;
  State state = State::kHolds;
  std::string sample, why;
};

/// A Python process that runs the function (python/edgeprobe/plugins/assertions.py); its prints go
/// to this program's standard error. Errors are sentences about the function, without its name:
/// kTarget if it dies or is late, kUsage if it cannot be started, kInterrupted if stopped.
class UserAssertion {
 public:
  static Result<std::unique_ptr<UserAssertion>> start(const AssertionSpec& spec,
                                                      const Control& control);
  ~UserAssertion();
  UserAssertion(const UserAssertion&) = delete;
  UserAssertion& operator=(const UserAssertion&) = delete;

  std::uint64_t frames() const;
  Result<Judgement> judge(std::uint64_t index, const Control& control);

 private:
  struct State;
  explicit UserAssertion(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace edgeprobe::pipeline
