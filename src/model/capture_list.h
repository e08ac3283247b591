// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace edgeprobe::model {

/// A tensor that an engine cannot output, with the engine's reason.
struct NotCaptured {
  int tensor = -1;
  std::string reason;
};

/// Groups of tensors still to be captured. If the engine fails on a group, the group is halved, so
/// that one impossible tensor does not cost the others.
class CaptureList {
 public:
  struct Group {
    std::vector<int> tensors;
    std::size_t frames = 0;  ///< Frames in which they are already captured.
  };

  explicit CaptureList(std::vector<std::vector<int>> groups);

  /// The next group; nothing if none is left.
  std::optional<Group> next();
  /// Puts the halves of a failed group before the rest; a single tensor is reported as not
  /// captured.
  void failed(Group group, const Error& error);

  std::size_t left() const { return groups_.size(); }
  /// In the order of failure.
  const std::vector<NotCaptured>& not_captured() const { return not_captured_; }

 private:
  std::vector<Group> groups_;  ///< The next one last.
  std::vector<NotCaptured> not_captured_;
};

}  // namespace edgeprobe::model
