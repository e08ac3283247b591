// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/tensors/pairs.h"
#include "diagnose/verdict/words.h"

namespace edgeprobe::diagnose::tensors {

/// One change of the reference's inputs that gives what the target recorded.
struct Change {
  CauseKind kind{};
  /// Follows the tensor's name, and in which frames: "holds its rows in reverse order".
  std::string detail;
  std::vector<std::string> alternatives = {};
};

/// Changes that reproduce every value of every frame that differs: how bytes are read, a line
/// through the values, the order of axes, rows or columns. The simplest that does.
std::optional<Change> change_of_all(const Pairs& pairs);
/// Changes that leave some values open, or take another frame's: shifted rows, a part that is not
/// written, the input of the frame before.
std::optional<Change> change_of_some(const Pairs& pairs);

/// Kinds of changes, each tried by itself.
std::optional<Change> other_bytes(const Pairs& pairs);
std::optional<Change> other_precision(const Pairs& pairs);  ///< Rounded to float16.
std::optional<Change> other_line(const Pairs& pairs);       ///< One gain and offset.
std::optional<Change> lines_by_part(const Pairs& pairs);    ///< One for each column, or each frame.
std::optional<Change> other_curve(const Pairs& pairs);
std::optional<Change> other_axes(const Pairs& pairs);
std::optional<Change> other_order(const Pairs& pairs);  ///< Of the slices of an axis.
std::optional<Change> moved_padding(const Pairs& pairs);
std::optional<Change> other_table(const Pairs& pairs);  ///< Of codes and whole numbers.
std::optional<Change> other_frame(const Pairs& pairs);
std::optional<Change> shifted(const Pairs& pairs);
std::optional<Change> padded_rows(const Pairs& pairs);
std::optional<Change> wrapped(const Pairs& pairs);
std::optional<Change> not_written(const Pairs& pairs);
/// Of outputs: softmax, sorted values or a norm of each row, which no single value tells.
std::optional<Change> other_rows(const Pairs& pairs);

}  // namespace edgeprobe::diagnose::tensors
