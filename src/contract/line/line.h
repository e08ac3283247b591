// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"

namespace edgeprobe::contract {

/// A trace's value under a name: a number or a text; empty if it was not recorded.
using Held = std::variant<std::monostate, double, std::string>;

/// A name in a line: words separated by dots, with at most one text in parentheses after the second
/// word and a channel in square brackets: frame.input("image")[0].mean.
struct Name {
  std::vector<std::string> words;  ///< {"frame", "input", "mean"}
  std::string of;                  ///< "image"; empty: the only one there is.
  std::optional<int> channel;
  std::string text;  ///< As written in the line.
  bool of_frame() const { return words.front() == "frame"; }
};

/// A stack operation: pushes a value, or replaces an operator's operands by its result.
struct Operation {
  enum class Kind {
    kNumber,
    kText,
    kName,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kNegate
  } kind = Kind::kNumber;
  double number = 0;
  std::string text;
  std::size_t name = 0;  ///< Index into Line::names.
};

/// An assertion in one line: sums with comparisons between them, which must all hold
/// (docs/reference/contract.md has the grammar).
struct Line {
  enum class Order { kLess, kAtMost, kGreater, kAtLeast, kEqual, kUnequal };
  /// The sums that are compared, in postfix form: one more than `orders`.
  std::vector<std::vector<Operation>> sums;
  std::vector<Order> orders;
  std::vector<Name> names;
  bool of_frame() const;  ///< True if it is asserted for each frame.
};

/// kUsage with the column and what was expected there.
Result<Line> parse_line(std::string_view text);

/// Result of a line for given values.
struct Judged {
  enum class State { kHolds, kFails, kNotKnown } state = State::kNotKnown;
  std::string value;  ///< Left operand of the first failing comparison (of the first if all hold).
  std::string bound;  ///< "<= 1.5": right side of the same comparison.
  std::string missing;  ///< A name without a value.
  std::string clash;    ///< Numbers and texts that cannot be combined or compared.
};
Judged judge(const Line& line, const std::function<Held(const Name&)>& value_of);

}  // namespace edgeprobe::contract
