// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "recipe/arguments.h"
#include "recipe/member.h"
#include "recipe/steps.h"
#include "recipe/words.h"

/// A step of a recipe as data. One row for each argument: its name, its member, its words or its
/// range; the parser, the printer, the explanation and the reference page use the rows.
namespace edgeprobe::recipe {

enum class Form : unsigned char {
  kWord,   ///< One of `words`.
  kWhole,  ///< From `least` to `most`.
  kReal,   ///< Same, as a real number.
  kReals,  ///< One real number, or a list of them.
  kIds,    ///< Same for integers.
  kText,   ///< As written.
  kOwn,    ///< Read by `read`, printed by `text`.
};

/// A wrong number used by an app, as an injected fault.
struct Slip {
  enum class To : unsigned char {
    kHalf,     ///< Half of it.
    kMore,     ///< One more.
    kLess,     ///< One less.
    kUsual,    ///< As in a default recipe.
    kNothing,  ///< Omitted.
    kNumber,   ///< `number`, even if the recipe has none.
  } to = To::kHalf;
  const char* fault = "";
  double number = 0;
  bool (*is_fault)(const void* recipe) = nullptr;  ///< Same as Word::is_fault.
};

/// One argument of a step. It is printed if its member differs from a default recipe.
struct Field {
  std::string_view name;
  Form form = Form::kOwn;
  Member member = {};
  Words words = {};
  double least = 0, most = 0;
  bool is_named = true;             ///< name=value; if false, the next positional argument.
  const char* asked_for = nullptr;  ///< Description in the error if it is missing; null: optional.
  bool is_always_shown = false;
  bool is_shown_last = false;  ///< Printed after the others, but read in its own position.
  /// False: recipes never contain this argument; only apps do what it describes.
  bool is_spoken = true;
  int digits = 4;                      ///< Digits in sentences.
  std::span<const double> tried = {};  ///< Wrong numbers that apps use.
  std::span<const Slip> slips = {};    ///< Same, as injected faults.
  const char* noun = nullptr;          ///< "the app's NOUN is 5"; null: not used in sentences.

  bool (*is_shown)(const void* recipe) = nullptr;  ///< Replaces the comparison with the default.
  /// True if the step has this argument, given the arguments read before it.
  bool (*applies)(const void* recipe) = nullptr;
  Status (*read)(Arguments&, const Argument& given, void* recipe) = nullptr;
  std::string (*text)(const void* recipe) = nullptr;
  /// Additional checks, run after the argument was read; `given` is null if it was omitted.
  Status (*then)(const Arguments&, const Argument* given, void* recipe) = nullptr;

  // Each function returns the row with one property changed.
  constexpr Field needed(const char* what) const {
    Field field = positional();
    field.asked_for = what;
    return field;
  }
  constexpr Field positional() const {
    Field field = *this;
    field.is_named = false;
    return field;
  }
  constexpr Field always() const {
    Field field = *this;
    field.is_always_shown = true;
    return field;
  }
  constexpr Field last() const {
    Field field = *this;
    field.is_shown_last = true;
    return field;
  }
  constexpr Field called(const char* what) const {
    Field field = *this;
    field.noun = what;
    return field;
  }
  constexpr Field instead(std::span<const double> numbers) const {
    Field field = *this;
    field.tried = numbers;
    return field;
  }
  constexpr Field planted(std::span<const Slip> faults) const {
    Field field = *this;
    field.slips = faults;
    return field;
  }
  constexpr Field unspoken() const {
    Field field = *this;
    field.is_spoken = false;
    return field;
  }
  constexpr Field with_digits(int count) const {
    Field field = *this;
    field.digits = count;
    return field;
  }
  /// Names for a number's values in sentences.
  constexpr Field named_in_sentences(Words names) const {
    Field field = *this;
    field.words = names;
    return field;
  }
  constexpr Field shown_if(bool (*condition)(const void*)) const {
    Field field = *this;
    field.is_shown = condition;
    return field;
  }
  constexpr Field only_if(bool (*condition)(const void*)) const {
    Field field = *this;
    field.applies = condition;
    return field;
  }
  constexpr Field and_then(Status (*what)(const Arguments&, const Argument*, void*)) const {
    Field field = *this;
    field.then = what;
    return field;
  }
  constexpr Field written_as(std::string (*how)(const void*)) const {
    Field field = *this;
    field.text = how;
    return field;
  }
};

constexpr Field word(std::string_view name, Member member, Words words) {
  return {.name = name, .form = Form::kWord, .member = member, .words = words};
}
constexpr Field whole(std::string_view name, Member member, double least, double most) {
  return {.name = name, .form = Form::kWhole, .member = member, .least = least, .most = most};
}
constexpr Field real(std::string_view name, Member member, double least, double most) {
  return {.name = name, .form = Form::kReal, .member = member, .least = least, .most = most};
}
constexpr Field reals(std::string_view name, Member member, double least, double most) {
  return {.name = name, .form = Form::kReals, .member = member, .least = least, .most = most};
}
constexpr Field ids(std::string_view name, Member member, double most) {
  return {.name = name, .form = Form::kIds, .member = member, .most = most};
}
constexpr Field text(std::string_view name, Member member) {
  return {.name = name, .form = Form::kText, .member = member};
}
constexpr Field own(std::string_view name, Member member,
                    Status (*read)(Arguments&, const Argument&, void*),
                    std::string (*text)(const void*)) {
  return {.name = name, .member = member, .read = read, .text = text};
}

/// The steps that a recipe may contain at the same place as this one: none, other steps, or other
/// steps and this step again.
enum class Beside : unsigned char { kNothing, kOthers, kItself };

/// Built with step(…) and the functions below, each of which returns the row with one property
/// changed.
struct Step {
  std::string_view name;
  int place = 0;  ///< Steps run in the order of their places.
  std::span<const Field> fields = {};
  Beside beside = Beside::kNothing;
  bool tells_kind = false;     ///< No other kind of recipe has this step.
  bool is_only_shown = false;  ///< A second place where a step is printed; never read.

  /// Printed if this holds; null: if one of its members differs from the default.
  bool (*is_there)(const void* recipe) = nullptr;
  /// Runs before the arguments are read.
  Status (*begin)(const Arguments&, void* recipe) = nullptr;
  /// Reads the arguments instead of the rows.
  Status (*read)(Arguments&, const Step&, void* recipe) = nullptr;
  /// The printed steps, instead of the rows; "" if there are none.
  std::string (*text)(const void* recipe) = nullptr;
  /// The effect of the step in one sentence; see sentence() for {name} and [name|…].
  const char* says = nullptr;
  std::string (*meaning)(const void* recipe) = nullptr;  ///< Replaces `says`.

  constexpr Step of_this_kind() const {
    Step step = *this;
    step.tells_kind = true;
    return step;
  }
  constexpr Step beside_others() const {
    Step step = *this;
    step.beside = Beside::kOthers;
    return step;
  }
  constexpr Step repeated() const {
    Step step = *this;
    step.beside = Beside::kItself;
    return step;
  }
  constexpr Step only_shown() const {
    Step step = *this;
    step.is_only_shown = true;
    return step;
  }
  constexpr Step there_if(bool (*condition)(const void*)) const {
    Step step = *this;
    step.is_there = condition;
    return step;
  }
  constexpr Step begun_by(Status (*what)(const Arguments&, void*)) const {
    Step step = *this;
    step.begin = what;
    return step;
  }
  constexpr Step read_by(Status (*how)(Arguments&, const Step&, void*)) const {
    Step step = *this;
    step.read = how;
    return step;
  }
  constexpr Step written_as(std::string (*how)(const void*)) const {
    Step step = *this;
    step.text = how;
    return step;
  }
  constexpr Step saying(const char* what) const {
    Step step = *this;
    step.says = what;
    return step;
  }
  constexpr Step meant_by(std::string (*how)(const void*)) const {
    Step step = *this;
    step.meaning = how;
    return step;
  }
};
constexpr Step step(std::string_view name, int place, std::span<const Field> fields = {}) {
  return {.name = name, .place = place, .fields = fields};
}

/// The recipe type of a row.
template <class Recipe>
const Recipe& as(const void* recipe) {
  return *static_cast<const Recipe*>(recipe);
}
template <class Recipe>
Recipe& as(void* recipe) {
  return *static_cast<Recipe*>(recipe);
}
/// Conditions that hold for every recipe, or for none.
inline bool always(const void*) { return true; }
inline bool never(const void*) { return false; }
/// A step without arguments that sets one member.
template <auto kFlag>
Status set_flag(const Arguments&, void* recipe) {
  as<decltype(members::owner_of(kFlag))>(recipe).*kFlag = true;
  return {};
}
template <auto kFlag>
bool has_flag(const void* recipe) {
  return as<decltype(members::owner_of(kFlag))>(recipe).*kFlag;
}

}  // namespace edgeprobe::recipe
