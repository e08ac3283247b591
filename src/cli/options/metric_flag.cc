// SPDX-License-Identifier: Apache-2.0
#include "cli/options/metric_flag.h"

#include "cli/options/values.h"
#include "pipeline/metric/plugin_metric.h"

namespace edgeprobe::cli {
namespace {

Result<std::shared_ptr<task::UserMetric>> started(const std::string& metric,
                                                  const pipeline::PluginMetricOptions& options,
                                                  const Control& control) {
  if (metric.empty()) return std::shared_ptr<task::UserMetric>();
  EP_TRY(auto plugin, pipeline::open_plugin_metric(metric, options, control));
  return std::shared_ptr<task::UserMetric>(std::move(plugin));
}

}  // namespace

void add_metric(Parser& parser, std::string& metric) {
  parser
      .option("--metric", metric,
              "Judge the outputs by your own metric: FILE.py:CLASS or python:NAME, with "
              "?OPTION=VALUE")
      .type("PLUG-IN");
}

void add_metric(Parser& parser, MetricFlag& flag) {
  add_metric(parser, flag.metric);
  parser
      .option("--python", flag.python,
              "The Python that runs the metric (default: $EDGEPROBE_PYTHON, else python3)")
      .type("PROGRAM");
}

Result<std::shared_ptr<task::UserMetric>> metric_from(const MetricFlag& flag,
                                                      const Control& control) {
  return started(flag.metric, {.python = flag.python}, control);
}

Result<std::shared_ptr<task::UserMetric>> metric_from(const std::string& metric,
                                                      const DataFlags& data,
                                                      const Control& control) {
  EP_TRY(const auto limit, time_limit_from(data.time_limit_s ? *data.time_limit_s : 60));
  return started(metric, {data.python, limit}, control);
}

}  // namespace edgeprobe::cli
