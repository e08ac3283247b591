// SPDX-License-Identifier: Apache-2.0
// Assertions of an application about itself at run time; judged by edgeprobe contract check.
#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <type_traits>

#include "edgeprobe/frame.hpp"
#include "edgeprobe/probe.hpp"
#include "edgeprobe/types.hpp"

namespace edgeprobe {
inline namespace v1 {
namespace detail {

/// "" if `check` holds; if not, the problem. A check returns a bool, or a text that is empty if the
/// assertion holds. If it throws, the assertion fails.
template <class Check>
std::string wrong_with(Check& check) {
  try {
    if constexpr (std::is_same_v<decltype(check()), bool>) return check() ? "" : "it is false";
    else return check();
  } catch (const std::exception& thrown) {
    return std::string("it throws: ") + thrown.what();
  } catch (...) {
    return "it throws";
  }
}

}  // namespace detail

/// Checks once, e.g. at application start: that the model has the input that the code builds, or
/// that there are as many labels as classes. Returns whether it holds, even without a probe; prints
/// a failure to standard error. Recorded as the mark "assertion.NAME", whose text is "holds" or the
/// problem.
///
///     if (!edgeprobe::assert_that(probe, "labels", [&] { return labels.size() == 1001; })) return
///     1;
template <class Check>
bool assert_that(const Probe& probe, const std::string& name, Check&& check) noexcept {
  try {
    const std::string wrong = detail::wrong_with(check);
    edgeprobe_assert_that(probe.handle(), name.c_str(), wrong.c_str());
    if (!wrong.empty())
      std::fprintf(stderr, "edgeprobe: assertion '%s' does not hold: %s\n", name.c_str(),
                   wrong.c_str());
    return wrong.empty();
  } catch (...) {  // Only out of memory is possible here.
    return false;
  }
}

/// Same for one frame. Recorded as its variable "assertion.NAME", 1 or 0, and on failure
/// "assertion.NAME.why". Prints nothing.
template <class Check>
bool assert_that(const Frame& frame, const std::string& name, Check&& check) noexcept {
  try {
    const std::string wrong = detail::wrong_with(check);
    edgeprobe_frame_assert_that(frame.handle(), name.c_str(), wrong.c_str());
    return wrong.empty();
  } catch (...) {
    return false;
  }
}

}  // namespace v1
}  // namespace edgeprobe
