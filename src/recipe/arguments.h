// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "recipe/scanner.h"
#include "recipe/words.h"

namespace edgeprobe::recipe {

struct Size {
  int height = 0, width = 0;
};

/// Hands out the arguments of one step and words every complaint alike: step, column, nearest word.
class Arguments {
 public:
  Arguments(std::string_view recipe, const StepText& step) : recipe_(recipe), step_(step) {}

  /// The next positional argument, or the one called `key`; nothing when it is not given.
  std::optional<Argument> next();
  std::optional<Argument> take(std::string_view key);
  /// The same, but its absence is an error that asks for `what`.
  Result<Argument> require(std::string_view what);

  Result<double> real(const Argument& argument, double least, double most) const;
  Result<int> whole(const Argument& argument, int least, int most) const;
  /// "224x160": height x width within the limits of a recipe.
  Result<Size> size(const Argument& argument) const;
  /// "0.5" or "[0.485, 0.456, 0.406]": one value, or one a channel.
  Result<std::vector<double>> list(const Argument& argument, double least, double most) const;

  /// The value that a word of the table stands for.
  Result<int> word(const Argument& argument, Words words) const;
  /// Whether an argument of that name was taken.
  bool has_taken(std::string_view key) const;

  /// Success when every argument was taken; else names the first that was not.
  Status finish() const;

  Error error(std::size_t at, std::string_view what) const;
  Error unknown(const Argument& argument, const std::vector<std::string>& known) const;
  std::size_t at() const { return step_.at; }

 private:
  std::string_view recipe_;
  const StepText& step_;
  std::size_t taken_ = 0;          ///< Bit i: argument i was taken (a step has fewer than 64).
  std::vector<std::string> keys_;  ///< Asked for so far; what finish() suggests.
};

/// The error of a step that is not in `known`.
Error unknown_step(const Arguments& arguments, const StepText& step,
                   const std::vector<std::string>& known);

}  // namespace edgeprobe::recipe
