// Any bytes as a .tflite file whose layers are cut out and whose weights are changed: what comes out is read again.
#include <cstdint>
#include <cstdlib>

#include "model/cut.h"
#include "model/edit.h"
#include "model/options.h"
#include "model/foreign.h"
#include "model/graph.h"

using namespace edgeprobe;

namespace {

void check(const model::Graph& graph, ByteView file, const model::Part& part) {
  const auto piece = model::cut(graph, file, part);
  if (!piece) {
    if (piece.error().what.empty()) std::abort();
    return;
  }
  const auto again = model::read_tflite(*piece, "piece");
  if (!again || again->layers.size() != part.layers.size() || again->outputs != part.outputs) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file(reinterpret_cast<const std::byte*>(data), size);
  (void)model::format_of(file, "fuzz");
  const auto graph = model::read_tflite(file, "fuzz");
  if (!graph) return 0;
  const int layers = static_cast<int>(graph->layers.size());
  // A few of them: the first, the last and one that the input's size chooses.
  for (const int layer : {0, layers - 1, layers ? static_cast<int>(size) % layers : 0}) {
    if (layer < 0 || layer >= layers) continue;
    check(*graph, file, model::one_op(*graph, layer));
    check(*graph, file, model::rest_after(*graph, layer, graph->outputs));
  }
  for (std::size_t i = 0; i < graph->tensors.size() && i < 16; ++i) {
    const int tensor = static_cast<int>(i);
    if (const auto values = model::constant(*graph, file, tensor)) {
      Bytes copy = file.copy();
      const Bytes zeros(values->bytes.size());
      if (model::set_constant(*graph, copy, tensor, zeros) && copy.size() != size) std::abort();
    }
    if (graph->tensors[i].spec.quantization.scale.size() == 1) {
      Bytes copy = file.copy();
      if (model::set_scale(*graph, copy, tensor, 0.5f, 3) && copy.size() != size) std::abort();
    }
  }
  for (int i = 0; i < layers && i < 16; ++i) {
    const model::Layer& layer = graph->layers[static_cast<std::size_t>(i)];
    (void)model::options_of(file, layer.index);
    Bytes copy = file.copy();
    if (model::set_real(*graph, copy, layer.index) && copy.size() != size) std::abort();
    if (layer.inputs.size() < 3 || layer.inputs[2] < 0) continue;
    copy = file.copy();
    const auto elements = element_count(graph->tensors[static_cast<std::size_t>(layer.inputs[2])].spec.shape);
    if (elements && *elements <= size && model::set_bias(*graph, copy, layer.index, std::vector<float>(*elements, 1.0f)) && copy.size() != size) std::abort();
  }
  return 0;
}
