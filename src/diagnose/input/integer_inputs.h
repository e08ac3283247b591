// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "diagnose/case/study.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::diagnose {

/// Difference of inputs that are whole numbers without a scale, such as token ids: counts differing
/// values, since distances between ids are meaningless.
struct IntegerDifference {
  std::string input;  ///< The reference's name of the first input that differs.
  /// Number of differing values, and of all values in the compared frames.
  std::size_t values = 0, of_values = 0;
  std::size_t frames = 0, of_frames = 0;
  std::uint32_t frame = 0;  ///< The first of the target's frames that differs.
  std::size_t place = 0;    ///< The first differing position in that frame.
  /// Values at that position; unset beyond the end of a shorter row.
  std::optional<std::int64_t> own, recorded;
};
/// Values for report sentences: "values", "of", "frame", "place", "input", "target", "reference".
std::map<std::string, Value> values_of(const IntegerDifference& difference);

/// Difference of one input of whole numbers; nothing for other inputs, or if all values are equal.
/// Fails if a trace cannot be read, and with kInterrupted.
Result<std::optional<IntegerDifference>> integer_difference(const Study& study,
                                                            const std::string& target_name,
                                                            const std::string& name,
                                                            const Control& control);
/// Difference of all inputs together; also nothing if an input of real numbers or codes differs.
Result<std::optional<IntegerDifference>> integer_differences(const Study& study,
                                                             const Control& control);

}  // namespace edgeprobe::diagnose
