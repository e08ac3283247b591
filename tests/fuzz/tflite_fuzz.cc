// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .tflite file: reading, and everything that takes what was read.
#include <cstdint>
#include <cstdlib>

#include "changed_options.h"
#include "lint/lint.h"
#include "model/graph.h"
#include "model/tflite/tflite.h"

using namespace edgeprobe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file(reinterpret_cast<const std::byte*>(data), size);
  const auto graph = model::read_tflite(file, "fuzz");
  if (!graph) {
    if (graph.error().what.empty()) std::abort();
    return 0;
  }
  (void)graph->macs();
  (void)graph->parameters();
  for (std::size_t i = 0; i < graph->tensors.size() && i < 64; ++i) {
    const auto values = model::constant(*graph, file, static_cast<int>(i));
    if (values) (void)to_float(*values);
  }
  (void)lint::lint(*graph, file);
  change_options(*graph, file);
  const std::vector<int> tensors = capturable(*graph);
  std::size_t grouped = 0;
  for (const auto& group : model::capture_groups(*graph, tensors, 4096)) grouped += group.size();
  if (grouped != tensors.size()) std::abort();
  const auto promoted = model::promote(*graph, file, tensors);
  if (!promoted) return 0;
  const auto again = model::read_tflite(*promoted, "promoted");
  if (!again || again->outputs != model::promoted_outputs(*graph, tensors)) std::abort();
  return 0;
}
