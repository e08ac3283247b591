// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace edgeprobe::model {

/// A tensor that an engine does not show, and the engine's reason.
struct NotCaptured {
  int tensor = -1;
  std::string reason;
};

/// Groups of tensors that are still to be captured. A group on which the engine fails is halved, so
/// that one tensor that it cannot show does not cost the others.
class CaptureList {
 public:
  struct Group {
    std::vector<int> tensors;
    std::size_t frames = 0;  ///< Frames in which they are captured already.
  };

  explicit CaptureList(std::vector<std::vector<int>> groups);

  /// The next group; nothing when none is left.
  std::optional<Group> next();
  /// Puts the halves of a group that failed in front of the rest; a tensor alone is given up.
  void failed(Group group, const Error& error);

  std::size_t left() const { return groups_.size(); }
  /// In the order in which they were given up.
  const std::vector<NotCaptured>& not_captured() const { return not_captured_; }

 private:
  std::vector<Group> groups_;  ///< The next one last.
  std::vector<NotCaptured> not_captured_;
};

}  // namespace edgeprobe::model
