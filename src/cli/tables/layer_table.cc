// SPDX-License-Identifier: Apache-2.0
#include "cli/tables/layer_table.h"

#include <algorithm>

#include "core/text.h"
#include "report/text/columns.h"

namespace edgeprobe::cli {
namespace {

using report::padded;
using report::right;
using report::shortened;

constexpr std::size_t kMostKernels = 20;

}  // namespace

std::string time_text(double seconds) {
  if (seconds >= 1) return number(seconds) + " s";
  if (seconds >= 1e-3) return number(seconds * 1e3) + " ms";
  return number(seconds * 1e6) + " us";
}

std::string layer_table(const bench::LayerTimes& times) {
  if (times.kernels.empty()) return "";
  std::string text;
  text += "  kernels mapped to " + std::to_string(times.layers_known) + " of " +
          std::to_string(times.layers_all) + " layers; " + std::to_string(times.runs) +
          " runs; all kernels together " + time_text(times.total) + " a run\n";
  text += "    " + padded("by type", 44) + right("count", 6) + right("total", 12) +
          right("mean", 12) + right("share", 9) + "\n";
  for (const bench::TypeTime& type : times.types)
    text += "    " + padded(shortened(sanitized(type.type), 42, 30), 44) +
            right(std::to_string(type.count), 6) + right(time_text(type.total), 12) +
            right(time_text(type.mean), 12) + right(percent(type.share), 9) + "\n";
  std::vector<const bench::KernelTime*> order;
  for (const bench::KernelTime& kernel : times.kernels) order.push_back(&kernel);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->mean > b->mean; });
  text += "    " + padded("by layer, the most expensive first", 44) + right("layers", 10) +
          right("median", 12) + right("share", 9) + "\n";
  for (std::size_t i = 0; i < std::min(order.size(), kMostKernels); ++i) {
    const bench::KernelTime& kernel = *order[i];
    std::string layers;
    for (const int layer : kernel.layers)
      layers += (layers.empty() ? "" : ",") + std::to_string(layer);
    const std::string name = kernel.name.empty() || kernel.name == kernel.type
                                 ? kernel.type
                                 : kernel.type + "  " + kernel.name;
    text += "    " + padded(shortened((kernel.inner ? "· " : "") + sanitized(name), 42, 30), 44) +
            right(shortened(layers.empty() ? "?" : layers, 9, 6), 10) +
            right(time_text(kernel.median), 12) + right(percent(kernel.share), 9) + "\n";
  }
  if (order.size() > kMostKernels)
    text +=
        "    … and " + std::to_string(order.size() - kMostKernels) + " more (all with --json)\n";
  if (std::any_of(order.begin(), order.end(), [](const auto* kernel) { return kernel->inner; }))
    text += "    · inside a delegate: part of its time\n";
  return text;
}

}  // namespace edgeprobe::cli
