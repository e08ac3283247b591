// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/try.h"

namespace edgeprobe {

/// Kinds of failures by what the caller can do about them, not by where they happened.
enum class ErrorKind {
  kUsage,        ///< The request itself is wrong: fix the flags, the recipe or the given file.
  kNotFound,     ///< A file, a tensor or a library is missing.
  kCorrupt,      ///< The bytes are not what they claim to be.
  kUnsupported,  ///< Valid, but beyond what this version or this engine does.
  kLimit,        ///< The work would exceed a stated limit (size, time, memory).
  kTarget,       ///< An engine or a device failed while working.
  /// The user asked to stop; finished work is kept.
  kInterrupted,
};

/// One-word name, e.g. "corrupt".
const char* name(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::kCorrupt;
  std::string what;  ///< One sentence, outermost step first.

  /// The same error, preceded by the current step.
  [[nodiscard]] Error during(std::string_view step) && {
    return {kind, std::string(step) + ": " + std::move(what)};
  }
};

/// A T, or an error. The compiler warns if a result is ignored. The names are those of
/// std::expected, which can replace this class later.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // Taking the value of a failure is a bug in edgeprobe: std::get throws, and main() reports it.
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

/// Success, or the reason of failure.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  Result() = default;
  Result(Error error) : failed_(true), error_(std::move(error)) {}
  bool has_value() const { return !failed_; }
  explicit operator bool() const { return !failed_; }
  Error& error() & { return error_; }
  const Error& error() const& { return error_; }
  Error error() && { return std::move(error_); }

 private:
  bool failed_ = false;
  Error error_;
};

using Status = Result<void>;

}  // namespace edgeprobe
