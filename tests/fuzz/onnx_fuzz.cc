// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .onnx file: reading, and everything that takes what was read.
#include <cstdint>
#include <cstdlib>

#include "changed_options.h"
#include "lint/lint.h"
#include "model/edit.h"
#include "model/graph.h"
#include "model/onnx/onnx.h"

using namespace edgeprobe;

namespace {

// A changed scale reads back.
void rescale(const model::Graph& graph, ByteView file) {
  int most = 8;
  for (std::size_t i = 0; i < graph.tensors.size() && most > 0; ++i) {
    if (graph.tensors[i].is_constant || graph.tensors[i].spec.quantization.empty()) continue;
    --most;
    Bytes copy = file.copy();
    if (!model::set_scale(graph, copy, static_cast<int>(i), 0.5f, 3)) continue;
    const auto again = model::read_onnx(copy, "rescaled", "");
    if (!again || again->tensors.size() != graph.tensors.size() ||
        again->tensors[i].spec.quantization.scale != std::vector<float>{0.5f})
      std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file(reinterpret_cast<const std::byte*>(data), size);
  // The folder exists and contains no file that an input can name, so paths outside of it are
  // examined, too.
  const auto graph = model::read_onnx(file, "fuzz", size % 2 ? "/sys/kernel" : "");
  if (!graph) {
    if (graph.error().what.empty()) std::abort();
    return 0;
  }
  (void)graph->macs();
  (void)graph->parameters();
  for (std::size_t i = 0; i < graph->tensors.size() && i < 64; ++i) {
    const model::ModelTensor& tensor = graph->tensors[i];
    const auto values = model::constant(*graph, file, static_cast<int>(i));
    if (values) (void)to_float(*values);
    // Every tensor that was read as a numeric constant has readable values.
    const bool held = tensor.is_constant && !tensor.is_sparse && tensor.spec.byte_size() &&
                      tensor.storage != model::ModelTensor::Storage::kExternal;
    if (held && !values) std::abort();
    if (values && values->bytes.size() != tensor.spec.byte_size().value_or(values->bytes.size()))
      std::abort();
  }
  (void)lint::lint(*graph, file);
  change_options(*graph, file);
  const std::vector<int> tensors = capturable(*graph);
  std::size_t grouped = 0;
  for (const auto& group : model::capture_groups(*graph, tensors, 4096)) grouped += group.size();
  if (grouped != tensors.size()) std::abort();
  rescale(*graph, file);
  const auto promoted = model::promote(*graph, file, tensors);
  if (!promoted) {
    if (promoted.error().what.empty()) std::abort();
    return 0;
  }
  const auto again = model::read_onnx(*promoted, "promoted", "");
  if (!again || again->outputs != model::promoted_outputs(*graph, tensors)) std::abort();
  return 0;
}
