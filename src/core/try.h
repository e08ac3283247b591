// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

/// Hand a failure on to the caller, so that what succeeds reads in straight lines. Both work in any
/// function or lambda that can return an Error: a Result<T>, a Status, an std::optional<Error>.
///
///     EP_TRY(const auto file, read_file(path));  // `file` is the value, not the Result
///     EP_TRY(header_, read_header(file));        // assigns
///     EP_CHECK(write(file));                     // a Status, or a value that nobody needs
///
/// The expression is evaluated once and may hold commas. Of a call, value and error are moved,
/// never copied; of a Result with a name, write std::move(named). A value that is held for its
/// destructor needs a name: EP_TRY(const auto lock, ...), where EP_CHECK would drop it at once.
///
/// Write the `if` by hand
///  * to add the step that was under way with during(): that sentence deserves its line;
///  * when the Result is needed as a whole later on;
///  * for a lambda of several lines in the expression. Debuggers and coverage would see one line of
///    it, and two macros inside of it would share a name. Better: give the lambda a name first.
///
/// The hidden name comes from the line: an inline function has the same tokens in each unit, which
/// __COUNTER__ would not give it. One macro a line, then. EP_TRY is three statements and needs the
/// braces of a block (-Wmultistatement-macros tells); EP_CHECK is one.
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
