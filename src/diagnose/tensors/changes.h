// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/tensors/pairs.h"
#include "diagnose/verdict/words.h"

namespace edgeprobe::diagnose::tensors {

/// A change of the reference's inputs that yields the target's recorded ones.
struct Change {
  CauseKind kind{};
  /// Printed after the tensor's name and frames: "holds its rows in reverse order".
  std::string detail;
  std::vector<std::string> alternatives = {};
};

/// The simplest change that reproduces every value of every differing frame: how bytes are read, a
/// line through the values, the order of axes, rows or columns.
std::optional<Change> change_of_all(const Pairs& pairs);
/// Changes that leave some values unexplained, or use another frame: shifted rows, a part that is
/// not written, the previous frame's input.
std::optional<Change> change_of_some(const Pairs& pairs);

/// The kinds of changes, each tried separately.
std::optional<Change> other_bytes(const Pairs& pairs);
std::optional<Change> other_precision(const Pairs& pairs);  ///< Rounds to float16.
std::optional<Change> other_line(const Pairs& pairs);       ///< A common gain and offset.
/// A line for each column, or each frame.
std::optional<Change> lines_by_part(const Pairs& pairs);
std::optional<Change> other_curve(const Pairs& pairs);
std::optional<Change> other_axes(const Pairs& pairs);
std::optional<Change> other_order(const Pairs& pairs);  ///< Reorders the slices of an axis.
std::optional<Change> moved_padding(const Pairs& pairs);
/// A table of values, for codes and whole numbers.
std::optional<Change> other_table(const Pairs& pairs);
std::optional<Change> other_frame(const Pairs& pairs);
std::optional<Change> shifted(const Pairs& pairs);
std::optional<Change> padded_rows(const Pairs& pairs);
std::optional<Change> wrapped(const Pairs& pairs);
std::optional<Change> not_written(const Pairs& pairs);
/// A change of whole rows, for outputs: softmax, sorted values or a norm, which single values do
/// not show.
std::optional<Change> other_rows(const Pairs& pairs);

}  // namespace edgeprobe::diagnose::tensors
