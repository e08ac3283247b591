// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/control.h"

namespace edgeprobe::check {

/// What a caller sees of a check while it runs, and how it is stopped. Empty functions are not
/// called.
struct Observer {
  const std::atomic<bool>* stop = nullptr;
  /// Control of one step, "target", "reference" or "diagnose"; the copy lives as long as the step.
  std::function<Control(const std::string& step)> step;
  /// A sentence, or several lines, that the verdict does not hold.
  std::function<void(const std::string& text)> notice;

  Control control(const std::string& name) const {
    Control one = step ? step(name) : Control{};
    one.stop = stop;
    return one;
  }
  void say(const std::string& text) const {
    if (notice) notice(text);
  }
};

}  // namespace edgeprobe::check
