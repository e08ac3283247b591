// SPDX-License-Identifier: Apache-2.0
#include "recipe/read.h"

#include <algorithm>
#include <string>

namespace edgeprobe::recipe {
namespace {

/// Parses the argument's value by the form of its row.
Result<Value> value_of(const Arguments& arguments, const Field& field, const Argument& given) {
  const auto packed = [](auto result) -> Result<Value> {
    if (!result) return std::move(result).error();
    return Value(*std::move(result));
  };
  switch (field.form) {
    case Form::kWord:
    case Form::kWhole: {
      EP_TRY(auto whole, field.form == Form::kWord
                             ? arguments.word(given, field.words)
                             : arguments.whole(given, static_cast<int>(field.least),
                                               static_cast<int>(field.most)));
      return Value(std::int64_t{whole});
    }
    case Form::kReal: return packed(arguments.real(given, field.least, field.most));
    case Form::kReals: return packed(arguments.list(given, field.least, field.most));
    case Form::kIds: {
      EP_TRY(auto list, arguments.list(given, field.least, field.most));
      return Value(std::vector<std::int64_t>(list.begin(), list.end()));
    }
    case Form::kText: return Value(std::string(given.value));
    case Form::kOwn: break;
  }
  return Value{};
}

Status read_field(Arguments& arguments, const Field& field, void* recipe) {
  if (!field.is_spoken || (field.applies && !field.applies(recipe))) return {};
  std::optional<Argument> given;
  if (field.is_named) {
    given = arguments.take(field.name);
  } else if (field.asked_for) {
    EP_TRY(given, arguments.require(field.asked_for));
  } else {
    given = arguments.next();
  }
  if (given) EP_CHECK(read_value(arguments, field, *given, recipe));
  return field.then ? field.then(arguments, given ? &*given : nullptr, recipe) : Status{};
}

/// States why `step` cannot be combined with the earlier step `other`; success if it can.
Status stands_beside(const Arguments& arguments, const Step& step, const Step& other,
                     Manner manner) {
  const std::string name(step.name), earlier(other.name);
  if (&other == &step && step.beside != Beside::kItself)
    return arguments.error(arguments.at(), name + " appears twice");
  if (&other == &step || other.place != step.place || step.beside != Beside::kNothing) return {};
  return arguments.error(arguments.at(), (manner == Manner::kByOrder ? name + " and " + earlier
                                                                     : earlier + " and " + name) +
                                             " exclude each other");
}

Status fits(const Arguments& arguments, const Step& step, const std::vector<const Step*>& seen,
            Manner manner) {
  const auto in_order = [&]() -> Status {
    if (seen.empty() || seen.back()->place <= step.place) return {};
    return arguments.error(arguments.at(), std::string(step.name) + " must come before " +
                                               std::string(seen.back()->name));
  };
  if (manner == Manner::kByOrder) EP_CHECK(in_order());
  for (const Step* const other : seen) EP_CHECK(stands_beside(arguments, step, *other, manner));
  return in_order();
}

}  // namespace

bool is_of_kind(const RecipeText& text, Steps steps) {
  return std::any_of(text.steps.begin(), text.steps.end(), [&](const StepText& one) {
    const Step* const step = find_step(steps, one.name);
    return step && step->tells_kind;
  });
}

bool is_of_kind(std::string_view text, Steps steps) {
  const auto scanned = scan_recipe(text);
  return scanned && is_of_kind(*scanned, steps);
}

const Step* find_step(Steps steps, std::string_view name) {
  for (const Step& step : steps)
    if (step.name == name && !step.is_only_shown) return &step;
  return nullptr;
}

const Field* find_field(const Step& step, std::string_view name) {
  for (const Field& field : step.fields)
    if (field.name == name) return &field;
  return nullptr;
}

const Field* find_field(Steps steps, std::string_view name) {
  const std::size_t dot = name.find('.');
  const Step* const step = find_step(steps, name.substr(0, dot));
  return step && dot != name.npos ? find_field(*step, name.substr(dot + 1)) : nullptr;
}

std::vector<std::string> step_names(Steps steps) {
  std::vector<std::string> names;
  for (const Step& step : steps)
    if (!step.is_only_shown) names.emplace_back(step.name);
  return names;
}

Status read_value(Arguments& arguments, const Field& field, const Argument& given, void* recipe) {
  if (field.read) return field.read(arguments, given, recipe);
  EP_TRY(auto value, value_of(arguments, field, given));
  field.member.set(recipe, value);
  return {};
}

Status read_fields(Arguments& arguments, std::span<const Field> fields, void* recipe) {
  for (const Field& field : fields) EP_CHECK(read_field(arguments, field, recipe));
  return {};
}

Status read_step(Arguments& arguments, const Step& step, void* recipe) {
  if (step.begin) EP_CHECK(step.begin(arguments, recipe));
  auto done =
      step.read ? step.read(arguments, step, recipe) : read_fields(arguments, step.fields, recipe);
  return done ? arguments.finish() : done;
}

Status follows(const Arguments& arguments, const Step& step, const Step* before) {
  if (!before || before->place < step.place) return {};
  return arguments.error(
      arguments.at(), std::string(step.name) +
                          (before->place == step.place
                               ? " is given twice"
                               : " runs before " + std::string(before->name) + ": put it there"));
}

Result<std::vector<const Step*>> read_steps(std::string_view text, Steps steps, void* recipe,
                                            Manner manner, Refusal refusal) {
  EP_TRY(auto scanned, scan_recipe(text));
  std::vector<const Step*> seen;
  for (const StepText& one : scanned.steps) {
    Arguments arguments(text, one);
    const Step* step = nullptr;
    for (const Step& known : steps)
      if (known.name == one.name && !known.is_only_shown &&
          (!step || (!seen.empty() && seen.back()->place > step->place)))
        step = &known;
    if (!step)
      return refusal ? refusal(arguments, one) : unknown_step(arguments, one, step_names(steps));
    EP_CHECK(fits(arguments, *step, seen, manner));
    EP_CHECK(read_step(arguments, *step, recipe));
    seen.push_back(step);
  }
  return seen;
}

std::vector<Word> most_usual_first(Words words) {
  std::vector<Word> sorted(words.begin(), words.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Word& a, const Word& b) { return a.rank < b.rank; });
  return sorted;
}

std::vector<Value> other_values(const Field& field) {
  std::vector<Value> values;
  for (const Word& word : field.words) values.emplace_back(std::int64_t{word.value});
  const bool is_whole = field.form == Form::kWhole;
  for (const double number : field.tried)
    if (is_whole) values.emplace_back(static_cast<std::int64_t>(number));
    else values.emplace_back(number);
  return values;
}

void copy_step(const Step& step, void* to, const void* from) {
  for (const Field& field : step.fields)
    if (field.member.get) field.member.set(to, field.member.get(from));
}

bool has_step(const std::vector<const Step*>& steps, std::string_view name) {
  return std::any_of(steps.begin(), steps.end(),
                     [name](const Step* one) { return one->name == name; });
}

}  // namespace edgeprobe::recipe
