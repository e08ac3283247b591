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
  std::string interpreter;  ///< A program name or path; empty: $EDGEPROBE_PYTHON, else python3.
  std::chrono::milliseconds limit{60'000};  ///< For the import of the file, and for each frame.
};
/// "prep.py:preprocess". kUsage when it has another form, kNotFound when there is no such file.
Result<FunctionSpec> function_from_text(std::string_view text);

/// What the function made of one frame. Values are as the function gave them.
struct FunctionAnswer {
  std::vector<Tensor> stages;   ///< Named intermediates, in the function's order.
  std::optional<Tensor> input;  ///< The model input: the array called "input", or the only one.
  /// Called "output" or "output/NAME": what the model answered, when the function runs it.
  std::vector<Tensor> outputs;
};

/// A Python process that runs the function (python/edgeprobe/child.py). Its prints and tracebacks
/// go to this program's standard error. Move-only, one call at a time.
class UserFunction {
 public:
  /// Starts the interpreter and imports the file. kNotFound without the interpreter, kUsage when
  /// NumPy, the file or the function is missing or fails while it is imported, kInterrupted when
  /// stopped.
  static Result<std::unique_ptr<UserFunction>> start(const FunctionSpec& spec,
                                                     const Control& control = {});
  ~UserFunction();
  UserFunction(const UserFunction&) = delete;
  UserFunction& operator=(const UserFunction&) = delete;

  /// Gives the function the picture as [height, width, 3] uint8 RGB, or the encoded file when its
  /// first parameter is annotated `bytes`. kTarget when it raises, dies or passes the time limit;
  /// after the last two every call fails.
  Result<FunctionAnswer> call(const dataset::RawInput& raw, std::string_view sample,
                              const Control& control = {});

  /// "prep.py:preprocess", without folders.
  const std::string& label() const;
  const std::string& sha256() const;       ///< Of the file.
  const std::string& environment() const;  ///< "Python 3.11.7, NumPy 2.4.6".

 private:
  struct State;
  explicit UserFunction(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The function's array as the model input `wanted`: a leading dimension of 1 may be missing or too
/// many; for float32 inputs any numbers are converted; for quantised ones real numbers are
/// quantised (half away from zero, saturated). kUsage says what does not fit, or which value is not
/// finite.
Result<Tensor> fit_input(const Tensor& given, const TensorSpec& wanted);

/// Where child.py is looked for: share/edgeprobe/python beside the executable's folder, then the
/// checkout.
std::vector<std::filesystem::path> child_scripts();

}  // namespace edgeprobe::pipeline
