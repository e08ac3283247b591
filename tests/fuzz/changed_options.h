// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include "compare/options/options.h"

/// For the options of any file: reads them, compares them with themselves, and writes them. Written
/// options read back, or are refused with a reason.
inline void change_options(const edgeprobe::model::Graph& graph, edgeprobe::ByteView file) {
  using namespace edgeprobe;
  const auto attributes = model::attributes(graph, file);
  if (!attributes) return;
  const compare::OptionSource source{graph, file, *attributes};
  int most = 6;  // Maximum number of files written.
  std::vector<int> all;
  for (const model::Layer& layer : graph.layers) {
    if (layer.index >= 64) break;
    all.push_back(layer.index);
    const compare::OperatorOptions options = compare::options_of(source, layer.index);
    if (!compare::option_differences(source, options, source, options).empty()) std::abort();
    for (const auto& [name, value] : options.values) {
      model::AttributeValue other = value;
      if (auto* flag = std::get_if<bool>(&other)) *flag = !*flag;
      if (auto* real = std::get_if<float>(&other)) *real += 1;
      if (auto* whole = std::get_if<std::int64_t>(&other)) *whole ^= 1;
      if (auto* wholes = std::get_if<std::vector<std::int64_t>>(&other))
        for (std::int64_t& one : *wholes) one ^= 1;
      const auto changes = compare::changes_for(source, options, name, other);
      if (!changes && changes.error().what.empty()) std::abort();
      if (!changes || most-- <= 0) continue;
      const auto changed = model::with_changes(graph, file, *changes);
      if (!changed && changed.error().what.empty()) std::abort();
      if (changed && !model::read_model(*changed, "changed", graph.folder)) std::abort();
    }
  }
  (void)compare::options_of_part(source, all);
}
