// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace edgeprobe::recipe {

/// The value of a recipe's member. Enumerators, bools and integers share one alternative;
/// monostate: an optional member is absent.
using Value = std::variant<std::monostate, std::int64_t, double, std::string, std::vector<double>,
                           std::vector<std::int64_t>>;

/// Access to one member of a recipe through the recipe's address, so that the code for parsing and
/// printing is compiled once, not for each kind.
struct Member {
  Value (*get)(const void* recipe) = nullptr;
  void (*set)(void* recipe, const Value& value) = nullptr;
  Value (*initial)() = nullptr;  ///< Its value in a default recipe.
};

namespace members {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
Value packed(const T& value) {
  if constexpr (kIsOptional<T>) return value ? packed(*value) : Value{};
  else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>)
    return static_cast<std::int64_t>(value);
  else return Value(value);
}

template <class T>
void unpack(const Value& value, T& to) {
  if constexpr (kIsOptional<T>) {
    if (std::holds_alternative<std::monostate>(value)) to.reset();
    else unpack(value, to.emplace());
  } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
    to = static_cast<T>(std::get<std::int64_t>(value));
  } else {
    to = std::get<T>(value);
  }
}

template <auto kFirst, auto... kRest, class T>
Value get(const T& from) {
  if constexpr (kIsOptional<T>) return from ? get<kFirst, kRest...>(*from) : Value{};
  else if constexpr (sizeof...(kRest) == 0) return packed(from.*kFirst);
  else return get<kRest...>(from.*kFirst);
}

template <auto kFirst, auto... kRest, class T>
void set(T& in, const Value& value) {
  if constexpr (kIsOptional<T>) set<kFirst, kRest...>(in ? *in : in.emplace(), value);
  else if constexpr (sizeof...(kRest) == 0) unpack(value, in.*kFirst);
  else set<kRest...>(in.*kFirst, value);
}

template <class Recipe, class T>
Recipe owner_of(T Recipe::*);

template <auto kFirst, auto... kRest>
Value initial() {
  if constexpr (sizeof...(kRest) == 0) return packed(decltype(owner_of(kFirst)){}.*kFirst);
  else return initial<kRest...>();
}

}  // namespace members

/// member<&Recipe::suppression, &Suppression::limit>: the path from a recipe to a number, a word or
/// a list. An optional on the path is created when the member is set.
template <auto kFirst, auto... kRest>
inline constexpr Member member{
    [](const void* recipe) {
      using Recipe = decltype(members::owner_of(kFirst));
      return members::get<kFirst, kRest...>(*static_cast<const Recipe*>(recipe));
    },
    [](void* recipe, const Value& value) {
      using Recipe = decltype(members::owner_of(kFirst));
      members::set<kFirst, kRest...>(*static_cast<Recipe*>(recipe), value);
    },
    members::initial<kFirst, kRest...>};

}  // namespace edgeprobe::recipe
