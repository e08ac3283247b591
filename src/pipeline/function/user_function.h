// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "core/tensor.h"
#include "dataset/sample.h"

namespace edgeprobe::pipeline {

/// A user's own pipeline: a function in a Python file.
struct FunctionSpec {
  std::filesystem::path file;
  std::string function;
  std::string interpreter;  ///< A program name or path; empty: $EDGEPROBE_PYTHON, or else python3.
  std::chrono::milliseconds limit{60'000};  ///< Limit for importing the file, and for each frame.
};
/// Parses "prep.py:preprocess". kUsage for any other form, kNotFound if the file does not exist.
Result<FunctionSpec> function_from_text(std::string_view text);

/// Result of the function for one frame, with the values exactly as returned.
struct FunctionAnswer {
  std::vector<Tensor> stages;   ///< Named intermediates, in the function's order.
  std::optional<Tensor> input;  ///< The model input: the array called "input", or the only one.
  /// Arrays named "output" or "output/NAME": the model's outputs, if the function runs the model.
  std::vector<Tensor> outputs;
};

/// A Python process that runs the function (python/edgeprobe/plugins/function.py). The function's
/// prints and tracebacks go to this program's standard error. Move-only, one call at a time.
class UserFunction {
 public:
  /// Starts the interpreter and imports the file. kNotFound without the interpreter; kUsage if
  /// NumPy, the file or the function is missing, or the import fails; kInterrupted when stopped.
  static Result<std::unique_ptr<UserFunction>> start(const FunctionSpec& spec,
                                                     const Control& control = {});
  ~UserFunction();
  UserFunction(const UserFunction&) = delete;
  UserFunction& operator=(const UserFunction&) = delete;

  /// Passes the function the picture as [height, width, 3] uint8 RGB, or the encoded file if its
  /// first parameter is annotated `bytes`. kTarget if it raises, dies or exceeds the time limit;
  /// after the last two, every call fails.
  Result<FunctionAnswer> call(const dataset::RawInput& raw, std::string_view sample,
                              const Control& control = {});

  /// "prep.py:preprocess", without folders.
  const std::string& label() const;
  const std::string& sha256() const;       ///< SHA-256 of the file.
  const std::string& environment() const;  ///< For example "Python 3.11.7, NumPy 2.4.6".

 private:
  struct State;
  explicit UserFunction(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Converts the function's array to the model input `wanted`. A leading dimension of 1 may be
/// missing or extra. Float32 inputs accept any numbers; for quantised inputs real numbers are
/// quantised (half away from zero, saturated). kUsage names what does not fit, or the value that is
/// not finite.
Result<Tensor> fit_input(const Tensor& given, const TensorSpec& wanted);

}  // namespace edgeprobe::pipeline
