// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "contract/line/line.h"
#include "core/text.h"

namespace edgeprobe::contract {
namespace {

constexpr std::array<const char*, 6> kOrders{"<", "<=", ">", ">=", "==", "!="};

std::string text_of(const Held& held, int digits = 6) {
  if (const auto* value = std::get_if<double>(&held)) return number(*value, digits);
  if (const auto* text = std::get_if<std::string>(&held)) return "'" + sanitized(*text, 80) + "'";
  return "nothing";
}

double computed(Operation::Kind kind, double left, double right) {
  switch (kind) {
    case Operation::Kind::kAdd: return left + right;
    case Operation::Kind::kSubtract: return left - right;
    case Operation::Kind::kMultiply: return left * right;
    default: return left / right;
  }
}

// Nothing if a value is missing or not a number, with the reason in `judged`.
Held value_of(const std::vector<Operation>& sum, const std::vector<Name>& names,
              const std::function<Held(const Name&)>& held, Judged& judged) {
  std::vector<Held> stack;
  const auto numbers = [&](std::size_t count) {
    if (stack.size() < count) return false;
    for (std::size_t i = stack.size() - count; i < stack.size(); ++i)
      if (!std::holds_alternative<double>(stack[i])) {
        judged.clash = text_of(stack[i]) + " is a text, and only numbers can be computed with";
        return false;
      }
    return true;
  };
  for (const Operation& operation : sum) {
    switch (operation.kind) {
      case Operation::Kind::kNumber: stack.emplace_back(operation.number); continue;
      case Operation::Kind::kText: stack.emplace_back(operation.text); continue;
      case Operation::Kind::kName:
        stack.push_back(held(names[operation.name]));
        if (std::holds_alternative<std::monostate>(stack.back())) {
          judged.missing = names[operation.name].text;
          return {};
        }
        continue;
      case Operation::Kind::kNegate:
        if (!numbers(1)) return {};
        stack.back() = -std::get<double>(stack.back());
        continue;
      default: break;
    }
    if (!numbers(2)) return {};
    const double right = std::get<double>(stack.back());
    stack.pop_back();
    stack.back() = computed(operation.kind, std::get<double>(stack.back()), right);
  }
  return stack.empty() ? Held{} : stack.back();
}

// NaN satisfies no ordering and equals nothing.
template <class T>
bool holds(const T& left, Line::Order order, const T& right) {
  switch (order) {
    case Line::Order::kLess: return left < right;
    case Line::Order::kAtMost: return left <= right;
    case Line::Order::kGreater: return left > right;
    case Line::Order::kAtLeast: return left >= right;
    case Line::Order::kEqual: return left == right;
    case Line::Order::kUnequal: break;
  }
  return left != right;
}

}  // namespace

Judged judge(const Line& line, const std::function<Held(const Name&)>& held) {
  Judged judged;
  std::vector<Held> values;
  for (const std::vector<Operation>& sum : line.sums) {
    values.push_back(value_of(sum, line.names, held, judged));
    if (std::holds_alternative<std::monostate>(values.back())) return judged;
  }
  judged.state = Judged::State::kHolds;
  for (std::size_t i = 0; i < line.orders.size(); ++i) {
    const Held &left = values[i], &right = values[i + 1];
    const Line::Order order = line.orders[i];
    const bool are_numbers =
        std::holds_alternative<double>(left) && std::holds_alternative<double>(right);
    const bool is_order = order != Line::Order::kEqual && order != Line::Order::kUnequal;
    if (!are_numbers && (left.index() != right.index() || is_order)) {
      judged.state = Judged::State::kNotKnown;
      judged.clash = text_of(left) + " and " + text_of(right) + " cannot be compared by " +
                     kOrders[static_cast<std::size_t>(order)];
      return judged;
    }
    const bool good = are_numbers
                          ? holds(std::get<double>(left), order, std::get<double>(right))
                          : holds(std::get<std::string>(left), order, std::get<std::string>(right));
    if (good && i > 0) continue;
    // 1.0000001 is not 1: prints enough digits to distinguish them.
    const int digits = text_of(left) == text_of(right) ? 17 : 6;
    judged.value = text_of(left, digits);
    judged.bound =
        std::string(kOrders[static_cast<std::size_t>(order)]) + " " + text_of(right, digits);
    if (good) continue;
    judged.state = Judged::State::kFails;
    return judged;
  }
  return judged;
}

}  // namespace edgeprobe::contract
