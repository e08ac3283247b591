// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "dataset/labels.h"
#include "dataset/sample.h"

namespace edgeprobe::pipeline {

/// True for the text of a dataset plug-in: FILE.py:CLASS, python:NAME or LIB.so:NAME, each with an
/// optional ?OPTION=VALUE.
bool is_plugin_data(std::string_view text);

struct PluginDataOptions {
  std::string python;  ///< "": process::python_interpreter().
  /// For one sample; importing may take twice as long, listing samples and annotations ten times.
  std::chrono::milliseconds limit{60'000};
};

/// The samples of a dataset plug-in (docs/extending.md), which runs in a process of its own until
/// the last sample is gone. If that process crashes or is late, loading fails for this sample, and
/// the next one gets a new process. Annotations in `labels` override the plug-in's. Errors name the
/// plug-in's method and line.
Result<std::vector<dataset::Sample>> open_plugin_data(std::string_view text,
                                                      const PluginDataOptions& options,
                                                      const dataset::Labels& labels);

}  // namespace edgeprobe::pipeline
