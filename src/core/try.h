// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

/// Return a failure to the caller, so that the successful path reads without branches. Both work in
/// any function or lambda that can return an Error: a Result<T>, a Status, an std::optional<Error>.
///
///     EP_TRY(const auto file, read_file(path));  // `file` is the value, not the Result
///     EP_TRY(header_, read_header(file));        // assigns
///     EP_CHECK(write(file));                     // a Status, or a value that is not needed
///
/// The expression is evaluated once and may contain commas. If it is a call, its value and error
/// are moved, never copied; for a Result with a name, write std::move(named). A value that is kept
/// only for its destructor needs a name: EP_TRY(const auto lock, ...). EP_CHECK would destroy it at
/// once.
///
/// Write the `if` by hand
///  * to add the current step to the error with during();
///  * if the Result is needed as a whole later on;
///  * for a lambda of several lines in the expression: debuggers and coverage would show it as one
///    line, and two macros inside it would share a name. Better: give the lambda a name first.
///
/// The hidden variable is named after the line number. With __COUNTER__ an inline function would
/// have different tokens in each translation unit. So write one macro per line. EP_TRY consists of
/// three statements and needs the braces of a block (-Wmultistatement-macros warns); EP_CHECK is
/// one statement.
#define EP_TRY(declaration, ...) EP_TRY_INTO(EP_RESULT_OF_LINE(__LINE__), declaration, __VA_ARGS__)
#define EP_CHECK(...) EP_CHECK_INTO(EP_RESULT_OF_LINE(__LINE__), __VA_ARGS__)

// Implementation of the two; do not use elsewhere.
#define EP_TRY_INTO(result, declaration, ...)    \
  auto result = (__VA_ARGS__);                   \
  if (!result) return std::move(result).error(); \
  declaration = *std::move(result)
#define EP_CHECK_INTO(result, ...)                                              \
  do {                                                                          \
    if (auto result = (__VA_ARGS__); !result) return std::move(result).error(); \
  } while (false)
#define EP_RESULT_OF_LINE(line) EP_JOINED(ep_result_, line)
#define EP_JOINED(begin, end) begin##end
