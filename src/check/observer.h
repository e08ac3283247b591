// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/control.h"

namespace edgeprobe::check {

/// A caller's view of a running check, and the way to stop it. Empty functions are not called.
struct Observer {
  const std::atomic<bool>* stop = nullptr;
  /// Control of one step, "target", "reference" or "diagnose"; must stay valid during the step.
  std::function<Control(const std::string& step)> step;
  /// One or several lines that are not part of the verdict.
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
