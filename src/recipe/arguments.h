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

/// Returns the arguments of one step. Every error names the step and the column, and suggests the
/// nearest known word.
class Arguments {
 public:
  Arguments(std::string_view recipe, const StepText& step) : recipe_(recipe), step_(step) {}

  /// The next positional argument, or the one called `key`; empty if it is not given.
  std::optional<Argument> next();
  std::optional<Argument> take(std::string_view key);
  /// Same, but a missing argument is an error that requests `what`.
  Result<Argument> require(std::string_view what);

  Result<double> real(const Argument& argument, double least, double most) const;
  Result<int> whole(const Argument& argument, int least, int most) const;
  /// Parses "224x160": height x width within the limits of a recipe.
  Result<Size> size(const Argument& argument) const;
  /// Parses "0.5" or "[0.485, 0.456, 0.406]": one value, or one for each channel.
  Result<std::vector<double>> list(const Argument& argument, double least, double most) const;

  /// The value for a word of the table.
  Result<int> word(const Argument& argument, Words words) const;
  /// True if an argument of that name was read.
  bool has_taken(std::string_view key) const;

  /// Success if every argument was read; if not, names the first that was not.
  Status finish() const;

  Error error(std::size_t at, std::string_view what) const;
  Error unknown(const Argument& argument, const std::vector<std::string>& known) const;
  std::size_t at() const { return step_.at; }

 private:
  std::string_view recipe_;
  const StepText& step_;
  std::size_t taken_ = 0;          ///< Bit i: argument i was read (a step has fewer than 64).
  std::vector<std::string> keys_;  ///< Keys requested so far, suggested by finish().
};

/// The error for a step that is not in `known`.
Error unknown_step(const Arguments& arguments, const StepText& step,
                   const std::vector<std::string>& known);

}  // namespace edgeprobe::recipe
