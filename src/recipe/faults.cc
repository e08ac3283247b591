// SPDX-License-Identifier: Apache-2.0
#include "recipe/faults.h"

namespace edgeprobe::recipe {
namespace {

bool is_absent(const Value& value) { return std::holds_alternative<std::monostate>(value); }

Value half(const Value& value) {
  if (const auto* const real = std::get_if<double>(&value)) return *real / 2;
  return std::get<std::int64_t>(value) / 2;
}

/// Converts the number of a slip to the member's type.
Value number_of(const Field& field, double number) {
  if (field.form == Form::kWhole) return static_cast<std::int64_t>(number);
  return number;
}

Value slipped(const Field& field, const Slip& slip, const Value& right) {
  switch (slip.to) {
    case Slip::To::kHalf: return half(right);
    case Slip::To::kMore: return std::get<std::int64_t>(right) + 1;
    case Slip::To::kLess: return std::get<std::int64_t>(right) - 1;
    case Slip::To::kUsual: return field.member.initial();
    case Slip::To::kNothing: return Value{};
    case Slip::To::kNumber: break;
  }
  return number_of(field, slip.number);
}

void add_faults(const Step& step, const Field& field, const void* recipe, std::vector<Fault>& out) {
  if (!field.member.get) return;
  const Value right = field.member.get(recipe);
  const auto add = [&](const char* what, const Value& value) {
    if (value != right) out.push_back({&step, &field, what, value});
  };
  for (const Word& word : field.words)
    if (word.fault && !is_absent(right) && (!word.is_fault || word.is_fault(recipe)))
      add(word.fault, std::int64_t{word.value});
  for (const Slip& slip : field.slips)
    if ((slip.to == Slip::To::kNumber || !is_absent(right)) &&
        (!slip.is_fault || slip.is_fault(recipe)))
      add(slip.fault, slipped(field, slip, right));
}

}  // namespace

std::vector<Fault> faults(Steps steps, const void* recipe) {
  std::vector<Fault> out;
  for (const Step& step : steps)
    if (!step.is_there || step.is_there(recipe))
      for (const Field& field : step.fields) add_faults(step, field, recipe, out);
  return out;
}

}  // namespace edgeprobe::recipe
