// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "core/control.h"
#include "core/result.h"
#include "task/user_metric.h"

namespace edgeprobe::pipeline {

struct PluginMetricOptions {
  std::string python;  ///< "": process::python_interpreter().
  /// For one frame and for one figure; importing may take twice as long.
  std::chrono::milliseconds limit{60'000};
};

/// A metric plug-in (docs/extending.md): FILE.py:CLASS or python:NAME, each with an optional
/// ?OPTION=VALUE. It runs in a Python process of its own. Errors name the plug-in, its method and
/// line; kInterrupted if stopped.
Result<std::unique_ptr<task::UserMetric>> open_plugin_metric(const std::string& text,
                                                             const PluginMetricOptions& options,
                                                             const Control& control);

}  // namespace edgeprobe::pipeline
