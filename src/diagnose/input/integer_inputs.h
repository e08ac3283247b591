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

/// How far whole numbers without a scale, such as token ids, lie apart: by their count, since a
/// distance between ids says nothing.
struct IntegerDifference {
  std::string input;                      ///< The reference's name of the first that differs.
  std::size_t values = 0, of_values = 0;  ///< That differ, of those in all compared frames.
  std::size_t frames = 0, of_frames = 0;
  std::uint32_t frame = 0;                    ///< The first of the target's frames that differs,
  std::size_t place = 0;                      ///< and the first place in it.
  std::optional<std::int64_t> own, recorded;  ///< There; nothing where one row ends before.
};
/// As values of a sentence: "values", "of", "frame", "place", "input", "target", "reference".
std::map<std::string, Value> values_of(const IntegerDifference& difference);

/// Of one input of whole numbers; nothing for another input, and where all are equal. Fails when a
/// trace cannot be read, and with kInterrupted.
Result<std::optional<IntegerDifference>> integer_difference(const Study& study,
                                                            const std::string& target_name,
                                                            const std::string& name,
                                                            const Control& control);
/// Of all inputs together; nothing too where an input of real numbers or codes differs.
Result<std::optional<IntegerDifference>> integer_differences(const Study& study,
                                                             const Control& control);

}  // namespace edgeprobe::diagnose
