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

/// What a trace holds under a name: a number or a text; nothing where it was not recorded.
using Held = std::variant<std::monostate, double, std::string>;

/// A name in a line: words behind dots, with at most one text in brackets behind the second word
/// and a channel in square brackets: frame.input("image")[0].mean.
struct Name {
  std::vector<std::string> words;  ///< {"frame", "input", "mean"}
  std::string of;                  ///< "image"; empty: the only one.
  std::optional<int> channel;
  std::string text;  ///< As it is written.
  bool of_frame() const { return words.front() == "frame"; }
};

/// One operation on a stack: a value is pushed, or the operator's operands are replaced by its
/// result.
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

/// An assertion as a line: sums with comparisons between them, all of which must hold
/// (docs/reference/contract.md has the grammar).
struct Line {
  enum class Order { kLess, kAtMost, kGreater, kAtLeast, kEqual, kUnequal };
  std::vector<std::vector<Operation>> sums;  ///< One more than `orders`, each as postfix.
  std::vector<Order> orders;
  std::vector<Name> names;
  bool of_frame() const;  ///< Whether it is asserted of each frame.
};

/// kUsage with the column and what was expected there.
Result<Line> parse_line(std::string_view text);

/// What a line says of values.
struct Judged {
  enum class State { kHolds, kFails, kNotKnown } state = State::kNotKnown;
  std::string value;  ///< Left operand of the first failing comparison (of the first if all hold).
  std::string bound;  ///< "<= 1.5": the right side of the same one.
  std::string missing;  ///< The name that has no value.
  std::string clash;    ///< Of numbers and texts, what cannot be compared or computed with.
};
Judged judge(const Line& line, const std::function<Held(const Name&)>& value_of);

}  // namespace edgeprobe::contract
