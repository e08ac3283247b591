// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model file whose layers and branches are cut out, whose layers are split and whose
// weights are changed: what comes out is read again.
#include <cstdint>
#include <cstdlib>

#include "model/edit.h"
#include "model/format.h"
#include "stretch/regions.h"
#include "stretch/split/find.h"
#include "stretch/split/fit.h"

using namespace edgeprobe;

namespace {

const std::string& name_of(const model::Graph& graph, int tensor) {
  return graph.tensors[static_cast<std::size_t>(tensor)].spec.name;
}

void check(const model::Graph& graph, ByteView file, const model::Part& part) {
  const auto piece = model::cut(graph, file, part);
  if (!piece) {
    if (piece.error().what.empty()) std::abort();
    return;
  }
  const auto again = model::read_model(*piece, "piece", "");
  if (!again || again->format != graph.format || again->layers.size() != part.layers.size() ||
      again->inputs.size() != part.inputs.size() || again->outputs.size() != part.outputs.size())
    std::abort();
  for (std::size_t i = 0; i < part.outputs.size(); ++i)
    if (name_of(*again, again->outputs[i]) != name_of(graph, part.outputs[i])) std::abort();
  for (std::size_t i = 0; i < part.inputs.size(); ++i)
    if (name_of(*again, again->inputs[i]) != name_of(graph, part.inputs[i])) std::abort();
}

// Numbers derived from the input.
class Choice {
 public:
  explicit Choice(ByteView file) {
    for (const std::byte byte : file)
      state_ = (state_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
  }
  std::size_t below(std::size_t count) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return count ? (state_ >> 33) % count : 0;
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

// Random parts: some fit the graph, others rarely do.
void check_chance(const model::Graph& graph, ByteView file) {
  Choice choice(file);
  std::vector<bool> fed(graph.tensors.size());
  for (std::size_t i = 0; i < fed.size(); ++i) fed[i] = choice.below(3) == 0;
  const auto some = [&](std::size_t count, std::size_t of) {
    std::vector<int> chosen;
    for (std::size_t i = 0; i < count && of; ++i)
      chosen.push_back(static_cast<int>(choice.below(of)));
    return chosen;
  };
  check(graph, file, model::part_for(graph, some(2, graph.tensors.size()), fed));
  check(graph, file,
        {some(1, graph.layers.size() + 1), some(2, graph.tensors.size() + 1),
         some(1, graph.tensors.size() + 1)});
}

// Every split that is found can be applied, or is refused with a reason; the model's inputs and
// outputs stay.
void check_splits(const model::Graph& graph, ByteView file) {
  const auto subject = stretch::subject_of(graph, file);
  if (!subject) return;
  const stretch::Splittables found = stretch::find_splits(*subject);
  for (const bool rows : {false, true}) {
    std::vector<stretch::Split> splits;
    for (const stretch::Splittable& one : stretch::chosen(found, rows))
      if (auto split = stretch::split_of(*subject, one, {2, 1}); !split.parts.empty())
        splits.push_back(std::move(split));
    if (splits.empty()) continue;
    const auto bytes = stretch::split(graph, file, splits);
    if (!bytes) {
      if (bytes.error().what.empty()) std::abort();
      continue;
    }
    const auto again = model::read_model(*bytes, "parts", "");
    if (!again || again->outputs.size() != graph.outputs.size() ||
        again->inputs.size() != graph.inputs.size())
      std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file(reinterpret_cast<const std::byte*>(data), size);
  (void)model::format_of(file, "fuzz");
  const auto graph = model::read_model(file, "fuzz", "");
  if (!graph) return 0;
  const int layers = static_cast<int>(graph->layers.size());
  // Some layers: the first, the last and one that the input's size selects.
  for (const int layer : {0, layers - 1, layers ? static_cast<int>(size) % layers : 0}) {
    if (layer < 0 || layer >= layers) continue;
    check(*graph, file, model::one_op(*graph, layer));
    check(*graph, file, model::rest_after(*graph, layer, graph->outputs));
  }
  check_chance(*graph, file);
  check_splits(*graph, file);
  const auto regions = stretch::regions_of(*graph);
  if (!regions && regions.error().what.empty()) std::abort();
  if (regions)
    for (const stretch::Region& region : regions->list) {
      if (region.branches.size() < 2 || region.inside >= static_cast<int>(regions->list.size()))
        std::abort();
      for (const stretch::Branch& branch : region.branches) check(*graph, file, branch.part);
    }
  if (const auto all = model::attributes(*graph, file); all && all->size() != graph->layers.size())
    std::abort();
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
    Bytes copy = file.copy();
    if (model::set_real(*graph, copy, layer.index) && copy.size() != size) std::abort();
    if (layer.inputs.size() < 3 || layer.inputs[2] < 0) continue;
    copy = file.copy();
    const auto elements =
        element_count(graph->tensors[static_cast<std::size_t>(layer.inputs[2])].spec.shape);
    if (elements && *elements <= size &&
        model::set_bias(*graph, copy, layer.index, std::vector<float>(*elements, 1.0f)) &&
        copy.size() != size)
      std::abort();
  }
  return 0;
}
