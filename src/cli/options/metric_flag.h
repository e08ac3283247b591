// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "cli/options/data_flags.h"
#include "cli/options/parser.h"
#include "core/control.h"
#include "core/result.h"
#include "task/user_metric.h"

namespace edgeprobe::cli {

/// --metric of a verb, and the Python that runs it.
struct MetricFlag {
  std::string metric;  ///< Empty: none.
  std::string python;
};

/// --metric.
void add_metric(Parser& parser, std::string& metric);
/// --metric and --python, for a verb without another plug-in.
void add_metric(Parser& parser, MetricFlag& flag);

/// Starts the plug-in; null if none is given.
Result<std::shared_ptr<task::UserMetric>> metric_from(const MetricFlag& flag,
                                                      const Control& control);
/// With the Python and the time limit of the verb's other plug-ins.
Result<std::shared_ptr<task::UserMetric>> metric_from(const std::string& metric,
                                                      const DataFlags& data,
                                                      const Control& control);

}  // namespace edgeprobe::cli
